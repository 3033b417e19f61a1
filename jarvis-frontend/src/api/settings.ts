import type { ProfileName } from 'protocol'
import type { Body, Query } from 'protocol/client'
import { download } from './download.ts'
import { call, file } from './http.ts'

export const readSettings = () => call('GET /api/settings')
export const setProfile = (profile: ProfileName) => call('PUT /api/settings', { body: { profile } })

export const apiTokens = () => call('GET /api/tokens')
export const makeToken = (token: Body<'POST /api/tokens'>) => call('POST /api/tokens', { body: token })
export const revokeToken = (name: string) => call('DELETE /api/tokens/:name', { params: { name } })

/**
 * Changes the password, which signs out every other session. The token in the reply replaces the present one. @throws ApiError
 * `second_factor_required` if a code is missing
 */
export const changePassword = (current: string, next: string, code: string) =>
  call('POST /api/auth/password', { body: { current, next, ...(code !== '' && { code }) } })

type LogsWanted = Query<'GET /api/logs'>

export const readLogs = (query: LogsWanted) => call('GET /api/logs', { query })
export const exportLogs = (query: LogsWanted) => download(file('GET /api/logs/export', { query }), 'jarvis.log')
/** Every setting with its value and where it comes from. */
export const settingsInForce = () => call('GET /api/config')
export const exportSettings = () => download(file('GET /api/config/export'), 'config.json')

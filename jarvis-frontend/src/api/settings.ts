import type {
  ApiTokenInfo,
  ApiTokenReply,
  Door,
  LogLine,
  Page,
  ProfileName,
  SettingsReply,
  SignInReply,
  TokenScope,
} from 'protocol'
import { call } from './http.ts'

export const readSettings = () => call<SettingsReply>('GET', '/api/settings')
export const setProfile = (profile: ProfileName) => call<SettingsReply>('PUT', '/api/settings', { profile })

export const apiTokens = () => call<Page<ApiTokenInfo>>('GET', '/api/tokens')
export const makeToken = (token: {
  name: string
  doors: readonly Door[]
  scope: TokenScope
  expiresInDays?: number
  requestsPerMinute?: number
}) => call<ApiTokenReply>('POST', '/api/tokens', token)
export const revokeToken = (name: string) => call('DELETE', `/api/tokens/${encodeURIComponent(name)}`)

/** Changes the password, which signs out every other session. The token in the reply replaces the present one. */
/** @throws ApiError `second_factor_required` if a code is missing. */
export const changePassword = (current: string, next: string, code: string) =>
  call<SignInReply>('POST', '/api/auth/password', { current, next, ...(code !== '' && { code }) })

export const readLogs = (level: string) => call<Page<LogLine>>('GET', `/api/logs?level=${level}`)

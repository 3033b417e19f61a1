import type {
  LoginReply,
  LogLine,
  McpTokenInfo,
  McpTokenReply,
  Page,
  ProfileName,
  SettingsReply,
} from 'jarvis-backend/protocol'
import { call } from './http.ts'

export const readSettings = () => call<SettingsReply>('GET', '/api/settings')
export const setProfile = (profile: ProfileName) => call<SettingsReply>('PUT', '/api/settings', { profile })

export const mcpTokens = () => call<Page<McpTokenInfo>>('GET', '/api/mcp-tokens')
export const makeMcpToken = (token: { name: string; isReadOnly: boolean; expiresInDays?: number }) =>
  call<McpTokenReply>('POST', '/api/mcp-tokens', token)
export const revokeMcpToken = (name: string) => call('DELETE', `/api/mcp-tokens/${encodeURIComponent(name)}`)

/** Changes the password, which signs out every other session. The reply's token replaces the present one. */
export const changePassword = (current: string, next: string) =>
  call<LoginReply>('POST', '/api/auth/password', { current, next })

export const readLogs = (level: string) => call<Page<LogLine>>('GET', `/api/logs?level=${level}`)

import type {
  AttachedLogLine,
  AttachedServer,
  AttachedServerConfig,
  AttachedServersReply,
  AttachedTier,
  AttachedToolInfo,
} from 'jarvis-backend/protocol'
import { call } from './http.ts'

const place = (name: string) => `/api/mcp-servers/${encodeURIComponent(name)}`

export const mcpServers = () => call<AttachedServersReply>('GET', '/api/mcp-servers')
/** What is left out of `entry` is as in `mcp.json`. */
export const addMcpServer = (name: string, entry: { command: string; args: string[] } | { url: string }) =>
  call<AttachedServer>('POST', '/api/mcp-servers', { name, ...entry })
/** A `[redacted]` value stays what it was. */
export const changeMcpServer = (name: string, config: AttachedServerConfig) =>
  call<AttachedServer>('PUT', place(name), config)
export const removeMcpServer = (name: string) => call('DELETE', place(name))
export const retryMcpServer = (name: string) => call('POST', `${place(name)}/connect`)
/** Its newest 500 lines, oldest first. */
export const mcpServerLog = (name: string) => call<{ items: AttachedLogLine[] }>('GET', `${place(name)}/logs`)
/** `tool.hash`: only the very definition that was shown is set. */
export const setAttachedTier = ({ name, hash }: AttachedToolInfo, tier: AttachedTier) =>
  call<AttachedToolInfo>('PUT', `/api/mcp-servers/tools/${encodeURIComponent(name)}/tier`, { tier, hash })

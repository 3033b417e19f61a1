import type {
  AttachedLogLine,
  AttachedServer,
  AttachedServerConfig,
  AttachedServersReply,
  AttachedSignInReply,
  AttachedTier,
  AttachedToolInfo,
} from 'protocol'
import { call } from './http.ts'

const place = (name: string) => `/api/mcp-servers/${encodeURIComponent(name)}`

export const mcpServers = () => call<AttachedServersReply>('GET', '/api/mcp-servers')
/** @param entry fields that are left out keep their value in `mcp.json` */
export const addMcpServer = (name: string, entry: { command: string; args: string[] } | { url: string }) =>
  call<AttachedServer>('POST', '/api/mcp-servers', { name, ...entry })
/** A value of `[redacted]` keeps the stored value. */
export const changeMcpServer = (name: string, config: AttachedServerConfig) =>
  call<AttachedServer>('PUT', place(name), config)
export const removeMcpServer = (name: string) => call('DELETE', place(name))
export const retryMcpServer = (name: string) => call('POST', `${place(name)}/connect`)
/** @param program hash of the program as it is shown; another one is not started */
export const allowMcpServer = (name: string, program: string) =>
  call<AttachedServer>('POST', `${place(name)}/allow`, { program })
/** Begins a sign-in to a server: whoever opens the address in a browser goes on at the authorization server. */
export const signInToMcpServer = (name: string) => call<AttachedSignInReply>('POST', `${place(name)}/sign-in`)
export const signOutOfMcpServer = (name: string) => call('POST', `${place(name)}/sign-out`)
/** The newest 500 lines of a server's log, oldest first. */
export const mcpServerLog = (name: string) => call<{ items: AttachedLogLine[] }>('GET', `${place(name)}/logs`)
/** `tool.hash`: the tier is set only if the tool's definition is still the one shown. */
export const setAttachedTier = ({ name, hash }: AttachedToolInfo, tier: AttachedTier) =>
  call<AttachedToolInfo>('PUT', `/api/mcp-servers/tools/${encodeURIComponent(name)}/tier`, { tier, hash })

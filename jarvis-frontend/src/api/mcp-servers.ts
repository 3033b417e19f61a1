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
/** Adds an MCP server. @param entry fields that are left out keep their value in `mcp.json` */
export const addMcpServer = (name: string, entry: { command: string; args: string[] } | { url: string }) =>
  call<AttachedServer>('POST', '/api/mcp-servers', { name, ...entry })
/** Changes an MCP server. A value `[redacted]` keeps the stored value. */
export const changeMcpServer = (name: string, config: AttachedServerConfig) =>
  call<AttachedServer>('PUT', place(name), config)
export const removeMcpServer = (name: string) => call('DELETE', place(name))
export const retryMcpServer = (name: string) => call('POST', `${place(name)}/connect`)
/** Allows a server's program to be started. @param program hash of the program that the person saw; a program with another hash is not started */
export const allowMcpServer = (name: string, program: string) =>
  call<AttachedServer>('POST', `${place(name)}/allow`, { program })
/** Begins the sign-in to an MCP server. The reply has the URL of the authorization server, which a person opens in a browser. */
export const signInToMcpServer = (name: string) => call<AttachedSignInReply>('POST', `${place(name)}/sign-in`)
export const signOutOfMcpServer = (name: string) => call('POST', `${place(name)}/sign-out`)
/** The newest 500 lines of a server's log, oldest first. */
export const mcpServerLog = (name: string) => call<{ items: AttachedLogLine[] }>('GET', `${place(name)}/logs`)
/** Sets the tier of a tool. `hash`: the server refuses if the tool's definition has changed since it was shown. */
export const setAttachedTier = ({ name, hash }: AttachedToolInfo, tier: AttachedTier) =>
  call<AttachedToolInfo>('PUT', `/api/mcp-servers/tools/${encodeURIComponent(name)}/tier`, { tier, hash })

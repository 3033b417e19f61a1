import type { AttachedServerConfig, AttachedTier, AttachedToolInfo } from 'protocol'
import { call } from './http.ts'

export const mcpServers = () => call('GET /api/mcp-servers')
/** Adds an MCP server. @param entry fields that are left out keep their value in `mcp.json` */
export const addMcpServer = (name: string, entry: { command: string; args: string[] } | { url: string }) =>
  call('POST /api/mcp-servers', { body: { name, ...entry } })
/** Changes an MCP server. A value `[redacted]` keeps the stored value. */
export const changeMcpServer = (name: string, config: AttachedServerConfig) =>
  call('PUT /api/mcp-servers/:name', { params: { name }, body: config })
export const removeMcpServer = (name: string) => call('DELETE /api/mcp-servers/:name', { params: { name } })
export const retryMcpServer = (name: string) => call('POST /api/mcp-servers/:name/connect', { params: { name } })
/** Allows a server's program to be started. @param program hash of the program that the person saw; a program with another hash is not started */
export const allowMcpServer = (name: string, program: string) =>
  call('POST /api/mcp-servers/:name/allow', { params: { name }, body: { program } })
/** Begins the sign-in to an MCP server. The reply has the URL of the authorization server, which a person opens in a browser. */
export const signInToMcpServer = (name: string) => call('POST /api/mcp-servers/:name/sign-in', { params: { name } })
export const signOutOfMcpServer = (name: string) => call('POST /api/mcp-servers/:name/sign-out', { params: { name } })
/** The newest 500 lines of a server's log, oldest first. */
export const mcpServerLog = (name: string) => call('GET /api/mcp-servers/:name/logs', { params: { name } })
/** Sets the tier of a tool. `hash`: the server refuses if the tool's definition has changed since it was shown. */
export const setAttachedTier = ({ name, hash }: AttachedToolInfo, tier: AttachedTier) =>
  call('PUT /api/mcp-servers/tools/:tool/tier', { params: { tool: name }, body: { tier, hash } })

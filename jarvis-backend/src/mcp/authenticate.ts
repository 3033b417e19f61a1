import type { IncomingMessage } from 'node:http'
import type { McpToken, McpTokens } from '../auth/mcp-tokens.ts'
import { JarvisError } from '../protocol/index.ts'

/** Whose request it is. A token counts in this header alone. @throws JarvisError `unauthorized`, `token_expired`. */
export function authenticate({ headers }: IncomingMessage, tokens: McpTokens): McpToken {
  const [, bearer] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (bearer === undefined) throw new JarvisError('unauthorized', 'Send an MCP token: Authorization: Bearer jmcp_…')
  return tokens.verify(bearer)
}

/** What a request carries to its handlers. `gone`: aborts when the client hangs up before its answer. */
export type Caller = { token: McpToken; gone: AbortSignal }

export const authInfoOf = (caller: Caller) => ({
  token: '',
  clientId: caller.token.name,
  scopes: [],
  extra: caller,
})

export const callerOf = (authInfo: { extra?: Record<string, unknown> } | undefined) => authInfo?.extra as Caller

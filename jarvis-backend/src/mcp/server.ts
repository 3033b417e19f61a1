import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, type McpRequestContext, Server } from '@modelcontextprotocol/server'
import type { RequestHandler } from 'express'
import type { Runs } from '../agent/runs.ts'
import type { McpToken, McpTokens } from '../auth/mcp-tokens.ts'
import { errorStatus, JarvisError } from '../protocol/index.ts'
import { type Catalog, inputSchemaOf } from '../tools/catalog.ts'
import type { Tool } from '../tools/tool.ts'

/** How often a client that waits for a person hears that it still waits. */
const heartbeatMs = 5_000
/** Cards that one token may have open: more would only tire the person who reads them. */
const mostWaiting = 5

/**
 * `/mcp`: the catalog over Streamable HTTP, through the same runs and the same gate as the chat. A fresh server for
 * each request, so that no answer can cross to another client; what is costly to make is made once.
 */
export function createMcpRoute(parts: {
  catalog: Catalog
  runs: Runs
  tokens: McpTokens
  /** The session in which a token's calls stand, made at its first call. */
  sessionOf(token: McpToken): string
  /** How many calls of a session wait for a person. */
  waiting(sessionId: string): number
  version: string
  report(error: unknown, message: string): void
}): RequestHandler {
  const { catalog, runs } = parts
  const underWay = new Map<string, Set<AbortController>>()
  const allTools = catalog.list().map(toMcpTool)
  const readTools = allTools.filter(({ annotations }) => annotations.readOnlyHint)

  function createServer({ authInfo }: McpRequestContext): Server {
    const token = authInfo?.extra?.token as McpToken
    const tools = token.isReadOnly ? readTools : allTools
    const server = new Server(
      { name: 'jarvis', title: 'JARVIS', version: parts.version },
      { capabilities: { tools: {} } },
    )
    server.setRequestHandler('tools/list', () => ({ tools }))
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      if (token.isReadOnly && !readTools.some(({ name }) => name === params.name)) {
        return failure(`The MCP token ${token.name} may only read, and ${params.name} is not a read. Nothing was run.`)
      }
      if (parts.waiting(parts.sessionOf(token)) >= mostWaiting && !readTools.some(({ name }) => name === params.name)) {
        return failure(`${mostWaiting} calls of ${token.name} wait for the operator already. Nothing was run.`)
      }
      const withdrawn = new AbortController()
      const withdraw = () => withdrawn.abort()
      mcpReq.signal.addEventListener('abort', withdraw, { once: true })
      const key = `${token.name} ${JSON.stringify(mcpReq.id)}`
      const sameId = underWay.get(key) ?? new Set()
      underWay.set(key, sameId.add(withdrawn))
      const progressToken = mcpReq._meta?.progressToken
      let progress = 0
      const onProgress = (message: string) => {
        if (progressToken === undefined) return
        progress += 1
        void mcpReq
          .notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
          .catch(() => {})
      }
      const heartbeat = setInterval(() => onProgress('Waiting in the JARVIS dashboard'), heartbeatMs)
      try {
        const clientName = server.getClientVersion()?.name ?? 'MCP client'
        const outcome = await runs.callTool({
          sessionId: parts.sessionOf(token),
          toolName: params.name,
          toolInput: params.arguments ?? {},
          requestedBy: { kind: 'mcp', name: clientName.slice(0, 100), token: token.name },
          signal: withdrawn.signal,
          onProgress,
        })
        switch (outcome.type) {
          case 'tool_result':
            return {
              content: [{ type: 'text' as const, text: outcome.result }],
              ...(isRecord(outcome.data) && { structuredContent: outcome.data }),
              isError: outcome.isError,
            }
          case 'blocked':
            return failure(`Refused: ${outcome.reason} Nothing was run.`)
          case 'confirm_resolved':
            return failure(
              `${unapproved(outcome.decision)}${outcome.note === undefined ? '' : ` Note: ${outcome.note}`} Nothing was run.`,
            )
          default:
            return outcome satisfies never
        }
      } finally {
        clearInterval(heartbeat)
        mcpReq.signal.removeEventListener('abort', withdraw)
        sameId.delete(withdrawn)
        if (sameId.size === 0) underWay.delete(key)
      }
    })
    // Each request has a server of its own, so an older client's notice finds its call here. Two clients of one token
    // may use the same id: then nobody knows whose call is meant, and none is withdrawn.
    server.setNotificationHandler('notifications/cancelled', ({ params }) => {
      const meant = [...(underWay.get(`${token.name} ${JSON.stringify(params.requestId)}`) ?? [])]
      if (meant.length === 1) meant[0]?.abort()
    })
    return server
  }

  const handler = createMcpHandler(createServer, { onerror: (error) => parts.report(error, 'an MCP request failed') })
  const handle = toNodeHandler(handler)
  return (request, response) => {
    try {
      const [, bearer] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
      if (bearer === undefined) throw new JarvisError('unauthorized', 'Send an MCP token: Authorization: Bearer jmcp_…')
      const token = parts.tokens.verify(bearer)
      Object.assign(request, { auth: { token: '', clientId: token.name, scopes: [], extra: { token } } })
      void handle(request, response)
    } catch (error) {
      if (!(error instanceof JarvisError)) throw error
      response.set('WWW-Authenticate', 'Bearer realm="jarvis"')
      response.status(errorStatus[error.code]).json({ error: { code: error.code, message: error.message } })
    }
  }
}

const toMcpTool = (tool: Tool) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: inputSchemaOf(tool) as { type: 'object' },
  annotations: {
    title: tool.title,
    readOnlyHint: tool.tier === 'green',
    destructiveHint: tool.tier === 'red',
    idempotentHint: tool.tier === 'green',
    openWorldHint: false,
  },
})

const failure = (text: string) => ({ content: [{ type: 'text' as const, text }], isError: true })

const unapproved = (decision: string) =>
  decision === 'denied'
    ? 'The operator denied this.'
    : decision === 'expired'
      ? 'Nobody decided in time.'
      : 'It was withdrawn.'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

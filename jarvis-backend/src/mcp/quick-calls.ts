import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { JarvisError } from '../protocol/index.ts'
import type { Catalog } from '../tools/catalog.ts'
import type { Caller } from './authenticate.ts'
import type { Call } from './call-tool.ts'
import { answerQuickly, clientNameIn, type QuickCall, quickCallIn } from './quick-call.ts'
import type { Surface } from './surface.ts'

/** Answers the plainest calls itself; see `quickCallIn`. */
export function createQuickCalls(parts: {
  catalog: Catalog
  surface: Surface
  info: object
  report(error: unknown, message: string): void
  call(params: QuickCall['params'], caller: Caller & Pick<Call, 'clientName' | 'signal' | 'waits'>): Promise<object>
}) {
  /** Of older clients, who cancel by a message. */
  const underWay = new Map<string, AbortController>()

  return {
    /** @returns whether it was such a call. @param about `clientName`: of an older client's session, where it has one. */
    async answer(
      request: IncomingMessage,
      response: ServerResponse,
      body: unknown,
      about: { caller: Caller; sessionId: string | undefined; clientName: string | undefined },
    ): Promise<boolean> {
      const { caller, sessionId, clientName } = about
      if (sessionId !== undefined) {
        const meant = cancelledIn(body)
        if (meant !== undefined) underWay.get(keyOf(sessionId, caller, meant))?.abort()
        if (clientName === undefined) return false
      }
      const quick = quickCallIn(request, body, sessionId !== undefined, parts)
      if (quick === undefined) return false
      const key = sessionId === undefined ? undefined : keyOf(sessionId, caller, quick.id)
      const cancelled = key === undefined ? undefined : new AbortController()
      if (key !== undefined && cancelled !== undefined) underWay.set(key, cancelled)
      const waits = request.headers['jarvis-confirmation']
      try {
        const result = await parts.call(quick.params, {
          ...caller,
          clientName: clientName ?? clientNameIn(quick) ?? 'MCP client',
          ...(typeof waits === 'string' && { waits }),
          ...(cancelled !== undefined && { signal: cancelled.signal }),
        })
        if (cancelled?.signal.aborted) response.writeHead(202).end()
        else answerQuickly(response, quick, { result: result as CallToolResult }, { info: parts.info, sessionId })
      } catch (error) {
        const message = error instanceof JarvisError ? error.message : 'Something went wrong inside JARVIS.'
        if (!(error instanceof JarvisError)) parts.report(error, 'an MCP call failed')
        answerQuickly(response, quick, { error: { code: -32_603, message } }, { info: parts.info, sessionId })
      } finally {
        if (key !== undefined && underWay.get(key) === cancelled) underWay.delete(key)
      }
      return true
    },
  }
}

const keyOf = (sessionId: string, { token }: Caller, id: string | number) => JSON.stringify([token.name, sessionId, id])

function cancelledIn(body: unknown): string | number | undefined {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { requestId?: unknown } }
  const id = method === 'notifications/cancelled' ? params?.requestId : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

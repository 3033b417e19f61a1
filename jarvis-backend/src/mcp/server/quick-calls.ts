import type { IncomingMessage, ServerResponse } from 'node:http'
import { JarvisError } from '../../protocol/index.ts'
import type { Caller } from './authenticate.ts'
import { failure, toResult } from './call-result.ts'
import type { CallParts } from './call-tool.ts'
import { answerQuickly, clientNameIn, quickCallIn } from './quick-call.ts'
import { isRead } from './tool-list.ts'

/** Answers the plainest calls itself, where they read and may run at once: see `quickCallIn`. */
export function createQuickCalls({
  catalog,
  surface,
  calls,
  sessionOf,
  stopping,
  info,
  report,
}: CallParts & { info: object; report(error: unknown, message: string): void }) {
  /** Of older clients, who cancel by a message. */
  const underWay = new Map<string, () => void>()
  /** Of all whose answer is awaited. */
  const awaited = new Set<() => void>()
  stopping.addEventListener('abort', () => {
    for (const giveUp of awaited) giveUp()
  })

  /** @returns `stopped` when the server goes down before. */
  function unlessStopped<T>(work: Promise<T>): Promise<T | 'stopped'> {
    return new Promise((resolve, reject) => {
      const giveUp = () => resolve('stopped')
      awaited.add(giveUp)
      work.then(resolve, reject).finally(() => awaited.delete(giveUp))
    })
  }

  return {
    /**
     * @param about `clientName`: of an older client's session, where it has one. `withdraw` aborts the caller's `gone`.
     * @returns whether it was such a call; nothing has happened where it was none.
     */
    async answer(
      request: IncomingMessage,
      response: ServerResponse,
      body: unknown,
      about: { caller: Caller; withdraw(): void; sessionId: string | undefined; clientName: string | undefined },
    ): Promise<boolean> {
      const { caller, withdraw, sessionId, clientName } = about
      const { token, gone } = caller
      if (sessionId !== undefined) {
        const meant = cancelledIn(body)
        if (meant !== undefined) underWay.get(keyOf(sessionId, caller, meant))?.()
        if (clientName === undefined) return false
      }
      const quick = quickCallIn(request.headers, body, sessionId !== undefined)
      if (quick === undefined) return false
      const { name, arguments: toolInput = {} } = quick.params
      if (!isRead(catalog.get(name)) || surface.answers?.[name] !== undefined) return false

      let isCancelled = false
      const cancel = () => {
        isCancelled = true
        withdraw()
      }
      const key = sessionId === undefined ? undefined : keyOf(sessionId, caller, quick.id)
      if (key !== undefined) underWay.set(key, cancel)
      try {
        const asker = (clientName ?? clientNameIn(quick) ?? 'MCP client').slice(0, 100)
        const outcome = await unlessStopped(
          calls.readAtOnce({
            sessionId: sessionOf(token),
            toolName: name,
            toolInput,
            requestedBy: { kind: 'mcp', name: asker, token: token.name },
            signal: gone,
          }),
        )
        if (outcome === undefined) return false
        const result =
          outcome === 'stopped'
            ? failure(`JARVIS is shutting down. ${name} may have to be called again.`)
            : toResult(outcome)
        if (isCancelled) response.writeHead(202).end()
        else answerQuickly(response, quick, { result }, { info, sessionId })
      } catch (error) {
        const message = error instanceof JarvisError ? error.message : 'Something went wrong inside JARVIS.'
        if (!(error instanceof JarvisError)) report(error, 'an MCP call failed')
        answerQuickly(response, quick, { error: { code: -32_603, message } }, { info, sessionId })
      } finally {
        if (key !== undefined && underWay.get(key) === cancel) underWay.delete(key)
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

import type { Namespace } from 'socket.io'
import type { z } from 'zod'
import type { Runs } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { Identity } from '../auth/tokens.ts'
import type { Confirmations } from '../calls/confirmations/confirmations.ts'
import { type ChatReplies, type ChatRequests, chatRequests } from '../protocol/index.ts'
import { answer, identityOf } from './answer.ts'

/** A snapshot reads up to some hundred entries. */
const snapshotWeight = 5

const schemas: { [E in keyof ChatRequests]: z.ZodType<ChatRequests[E]> } = chatRequests

/** `/chat`: requests in, and each session's events out to the sockets attached to it (a room per session). */
export function serveChat(
  namespace: Namespace,
  parts: {
    runs: Runs
    confirmations: Confirmations
    store: Pick<TranscriptStore, 'replyTo' | 'rememberReply'>
    now(): number
    report(error: unknown, message: string): void
  },
) {
  const { runs, confirmations, store, report } = parts
  namespace.on('connection', (socket) => {
    const on = <E extends keyof ChatRequests>(
      event: E,
      needs: 'viewer' | 'operator',
      handle: (input: ChatRequests[E], identity: Identity) => ChatReplies[E] | Promise<ChatReplies[E]>,
      weight = 1,
    ) => socket.on(event as string, answer(socket, { schema: schemas[event], needs, weight, report }, handle))

    on('chat:send', 'operator', ({ sessionId, message, requestId, model }, { sub }) => {
      const sent = runs.send({
        text: message,
        by: sub,
        ...(sessionId !== undefined && { sessionId }),
        ...(requestId !== undefined && { requestId }),
        ...(model !== undefined && { model }),
      })
      // Before the run begins, which it does once this handler has answered.
      void socket.join(sent.sessionId)
      return sent
    })
    on('chat:confirm', 'operator', ({ sessionId, toolUseId, confirmed, note, grant, requestId }, { sub }) => {
      const decide = () => {
        if (requestId !== undefined && store.replyTo('confirm', sub, requestId) !== undefined) return {}
        confirmations.decide({
          toolUseId,
          sessionId,
          confirmed,
          by: sub,
          grant,
          ...(note !== undefined && { note }),
          ...(requestId !== undefined && {
            remember: () => store.rememberReply('confirm', sub, requestId, {}, parts.now()),
          }),
        })
        return {}
      }
      const looking = confirmed ? confirmations.lookAgain(toolUseId) : undefined
      return looking === undefined ? decide() : looking.then(decide)
    })
    on('chat:abort', 'operator', ({ sessionId }, { sub }) => {
      runs.abort(sessionId, sub)
      return {}
    })
    on(
      'chat:attach',
      'viewer',
      ({ sessionId, since }, { role }) => {
        if (role === 'operator') confirmations.seen(sessionId)
        const snapshot = runs.snapshot(sessionId, since)
        void socket.join(sessionId)
        return { snapshot }
      },
      snapshotWeight,
    )
    on('chat:ping', 'viewer', () => ({}))
    on('chat:unqueue', 'operator', ({ sessionId, messageId }) => {
      runs.unqueue(sessionId, messageId)
      return {}
    })
  })
}

/** Whether an operator's screen is attached to the session. */
export function isWatched(namespace: Namespace, sessionId: string): boolean {
  const ids = namespace.adapter.rooms.get(sessionId) ?? []
  return [...ids].some((id) => {
    const socket = namespace.sockets.get(id)
    return socket !== undefined && identityOf(socket).role === 'operator'
  })
}

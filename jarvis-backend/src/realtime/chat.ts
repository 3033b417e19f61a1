import { type ChatReplies, type ChatRequests, chatRequests } from 'protocol'
import type { Namespace, Socket } from 'socket.io'
import type { z } from 'zod'
import type { Runs, Watch } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { Watcher } from '../agent/watchers.ts'
import type { SessionReach } from '../auth/reach.ts'
import { requireStanding, type Standing } from '../auth/roles.ts'
import type { Identity } from '../auth/tokens.ts'
import type { Confirmations } from '../calls/confirmations/confirmations.ts'
import type { Questions } from '../calls/questions/questions.ts'
import { answer, identityOf } from './answer.ts'

/** The cost of an attach against the limit per second: its snapshot reads up to some hundred entries. */
const snapshotWeight = 5

const schemas: { [E in keyof ChatRequests]: z.ZodType<ChatRequests[E]> } = chatRequests

/** Serves `/chat`: answers requests, and sends each session's events to the sockets attached to it. */
export function serveChat(
  namespace: Namespace,
  parts: {
    runs: Runs
    confirmations: Confirmations
    questions: Pick<Questions, 'answer'>
    reach: SessionReach
    store: Pick<TranscriptStore, 'replyTo' | 'rememberReply'>
    now(): number
    untilFree(): Promise<void> | undefined
    report(error: unknown, message: string): void
    redact(text: string): string
  },
) {
  const { runs, confirmations, questions, store, report, redact } = parts
  const watching = new Map<Socket, ReadonlyMap<string, Watch>>()
  /** How a repeated request of that kind gets its first acknowledgement again. */
  const once = (kind: 'confirm' | 'answer', by: string, requestId: string | undefined) =>
    requestId === undefined
      ? {}
      : {
          once: {
            isAnswered: () => store.replyTo(kind, by, requestId) !== undefined,
            remember: () => store.rememberReply({ kind, by, requestId }, {}, parts.now()),
          },
        }
  namespace.on('connection', (socket) => {
    const watched = new Map<string, Watch>()
    watching.set(socket, watched)
    const watcher: Watcher = {
      isOperator: identityOf(socket).role === 'operator',
      tell: (event, payload) => void socket.emit(event, payload),
    }
    /** Watches a session once per socket, also when the socket attaches twice. */
    function watch(sessionId: string): Watch {
      const watching = watched.get(sessionId) ?? runs.watch(sessionId, watcher)
      watched.set(sessionId, watching)
      return watching
    }
    socket.on('disconnect', () => {
      watching.delete(socket)
      for (const { end } of watched.values()) end()
    })
    const on = <E extends keyof ChatRequests>(
      event: E,
      needs: Standing,
      handle: (input: ChatRequests[E], identity: Identity) => ChatReplies[E] | Promise<ChatReplies[E]>,
      weight = 1,
    ) => {
      /** A session of another person is none, whatever is asked of it, unless it is shared for that. */
      const inReach = (input: ChatRequests[E], identity: Identity) => {
        const { sessionId } = input as { sessionId?: string }
        const reach = needs === 'viewer' ? 'look' : 'talk'
        if (sessionId !== undefined) parts.reach.require(identity.person, sessionId, reach)
        return handle(input, identity)
      }
      const waits = needs === 'viewer' ? {} : { untilFree: parts.untilFree }
      const options = { schema: schemas[event], needs, weight, report, redact, ...waits }
      socket.on(event as string, answer(socket, options, inReach))
    }

    on('chat:send', 'member', ({ sessionId, message, requestId, model, agent, attachments }, { sub }) => {
      const sent = runs.start({
        text: message,
        by: sub,
        ...(sessionId !== undefined && { sessionId }),
        ...(requestId !== undefined && { requestId }),
        ...(model !== undefined && { model }),
        ...(agent !== undefined && { agent }),
        ...(attachments !== undefined && { attachments }),
      })
      // The run begins after this handler has answered, so the sender misses no event.
      watch(sent.sessionId)
      return sent
    })
    on(
      'chat:confirm',
      'member',
      (
        { sessionId, toolUseId, confirmed, note, grant, alternative, goesBackAfterMin, proof, requestId },
        { sub, person },
      ) => {
        // A member takes back what they asked for, and does no more with the card.
        if (confirmed || grant !== undefined || alternative !== undefined) requireStanding(person.role, 'operator')
        const decided = confirmations.decide({
          toolUseId,
          sessionId,
          confirmed,
          by: sub,
          grant,
          alternative,
          goesBackAfterMin,
          proof,
          ...(note !== undefined && { note }),
          ...once('confirm', sub, requestId),
        })
        return decided === undefined ? {} : decided.then(() => ({}))
      },
    )
    on('chat:answer', 'member', ({ requestId, ...answer }, { sub }) => {
      questions.answer({ ...answer, by: sub, ...once('answer', sub, requestId) })
      return {}
    })
    on('chat:abort', 'member', ({ sessionId, runId }, { sub }) => {
      if (runId === undefined) runs.abort(sessionId, sub)
      else runs.stopRun(sessionId, runId, sub)
      return {}
    })
    on(
      'chat:attach',
      'viewer',
      ({ sessionId, since }) => ({ snapshot: watch(sessionId).snapshot(since) }),
      snapshotWeight,
    )
    on('chat:ping', 'viewer', () => ({}))
    on('chat:unqueue', 'member', ({ sessionId, messageId }) => {
      runs.unqueue(sessionId, messageId)
      return {}
    })
    on('chat:send_held', 'member', ({ sessionId, messageId }, { sub }) => {
      runs.sendHeld(sessionId, messageId, sub)
      return {}
    })
  })
  return {
    /** Drops the sockets that watch a session which their person sees no more. */
    look() {
      for (const [socket, watched] of watching) {
        const { person } = identityOf(socket)
        if ([...watched.keys()].some((id) => !parts.reach.reads(person, id))) socket.disconnect(true)
      }
    },
  }
}

import { type ChatReplies, type ChatRequests, chatRequests as inputs } from 'protocol'
import type { Socket } from 'socket.io'
import type { Runs, Watch } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { Watcher } from '../agent/watchers.ts'
import type { Reading } from '../auth/reach.ts'
import type { Confirmations } from '../calls/confirmations/confirmations.ts'
import type { Questions } from '../calls/questions/questions.ts'
import { identityOf } from './answer.ts'
import { requestsOf, type SocketRequest } from './request.ts'

/** One `chat:attach` counts as this many requests in the rate limit per second, because its snapshot reads about a hundred entries. */
const snapshotWeight = 5

const request = requestsOf<ChatRequests, ChatReplies>('/chat', inputs)

/** The sessions that the sockets of `/chat` watch. Each socket gets the events of the sessions it watches. */
export class ChatWatches {
  readonly #runs: Pick<Runs, 'watch'>
  readonly #reach: Reading
  readonly #sockets = new Map<Socket, { watcher: Watcher; sessions: Map<string, Watch> }>()

  constructor(runs: Pick<Runs, 'watch'>, reach: Reading) {
    this.#runs = runs
    this.#reach = reach
  }

  /** Watches a session until the socket disconnects. If the socket attaches twice, the session is watched only once. */
  watch(socket: Socket, sessionId: string): Watch {
    const { watcher, sessions } = this.#sockets.get(socket) ?? this.#add(socket)
    const watch = sessions.get(sessionId) ?? this.#runs.watch(sessionId, watcher)
    sessions.set(sessionId, watch)
    return watch
  }

  /** Disconnects each socket that watches a session which its person may no longer read. */
  look(): void {
    for (const [socket, { sessions }] of this.#sockets) {
      const { person } = identityOf(socket)
      if ([...sessions.keys()].some((id) => !this.#reach.reads(person, id))) socket.disconnect(true)
    }
  }

  #add(socket: Socket) {
    const watcher: Watcher = {
      isOperator: identityOf(socket).role === 'operator',
      tell: (event, payload) => void socket.emit(event, payload),
    }
    const added = { watcher, sessions: new Map<string, Watch>() }
    this.#sockets.set(socket, added)
    socket.on('disconnect', () => {
      this.#sockets.delete(socket)
      for (const { end } of added.sessions.values()) end()
    })
    return added
  }
}

/** The parts that the requests of `/chat` need. */
export type ChatNeeds = {
  runs: Runs
  watches: ChatWatches
  confirmations: Confirmations
  questions: Pick<Questions, 'answer'>
  store: Pick<TranscriptStore, 'replyTo' | 'rememberReply'>
  now(): number
}

export const chatRequests = (needs: ChatNeeds): SocketRequest[] => [
  ...messageRequests(needs.runs, needs.watches),
  ...decisionRequests(needs),
  ...watchRequests(needs.watches),
]

const messageRequests = (runs: Runs, watches: ChatWatches): SocketRequest[] => [
  request(
    'chat:send',
    {
      role: 'member',
      writes: true,
      summary:
        'Sends a message of at most 64 kB. Without `sessionId` a new session begins, which belongs to `agent`, or to main. While a run is going, the message is queued. Answers `{sessionId, runId, queued, messageId}`.',
    },
    ({ input: { sessionId, message, requestId, model, agent, attachments }, by, socket }) => {
      const sent = runs.start({
        text: message,
        by,
        sessionId,
        requestId,
        model,
        agent,
        attachments,
      })
      // The run begins after this handler has answered, so the sender misses no event.
      watches.watch(socket, sent.sessionId)
      return sent
    },
  ),
  request(
    'chat:abort',
    {
      role: 'member',
      writes: true,
      summary:
        'Stops the model at once, withdraws what waits and holds queued messages: nothing begins after it. With `runId` it stops that run alone, such as a child run.',
    },
    ({ input: { sessionId, runId }, by }) => {
      if (runId === undefined) runs.abort(sessionId, by)
      else runs.stopRun(sessionId, runId, by)
      return {}
    },
  ),
  request(
    'chat:unqueue',
    { role: 'member', writes: true, summary: 'Takes a queued message back.' },
    ({ input: { sessionId, messageId } }) => {
      runs.unqueue(sessionId, messageId)
      return {}
    },
  ),
  request(
    'chat:send_held',
    {
      role: 'member',
      writes: true,
      summary:
        'Sends a message that a stop holds (`heldBy` in the queue): it begins now, or waits for its turn. Its writer alone may.',
    },
    ({ input: { sessionId, messageId }, by }) => {
      runs.sendHeld(sessionId, messageId, by)
      return {}
    },
  ),
]

function decisionRequests({ confirmations, questions, store, now }: ChatNeeds): SocketRequest[] {
  /** Returns the option by which a repeated request of this kind gets its first acknowledgement again. */
  const once = (kind: 'confirm' | 'answer', by: string, requestId: string | undefined) =>
    requestId === undefined
      ? {}
      : {
          once: {
            isAnswered: () => store.replyTo(kind, by, requestId) !== undefined,
            remember: () => store.rememberReply({ kind, by, requestId }, {}, now()),
          },
        }
  return [
    request(
      'chat:confirm',
      {
        role: 'member',
        writes: true,
        // A member may deny a call that the member asked for, and may take no other decision on its card.
        roleFor: ({ confirmed, grant, alternative }) =>
          confirmed || grant !== undefined || alternative !== undefined ? 'operator' : 'member',
        summary: 'Decides a card. A member may deny what they asked for; everything else takes an operator.',
      },
      ({ input, by }) => {
        const { sessionId, toolUseId, confirmed, note, grant, alternative, goesBackAfterMin, proof, requestId } = input
        const decided = confirmations.decide({
          toolUseId,
          sessionId,
          confirmed,
          by,
          grant,
          alternative,
          goesBackAfterMin,
          proof,
          note,
          ...once('confirm', by, requestId),
        })
        return decided === undefined ? {} : decided.then(() => ({}))
      },
    ),
    request(
      'chat:answer',
      {
        role: 'member',
        writes: true,
        summary: 'Answers a [question](questions.md) by `answers`, `said` or `declined`; it decides no card.',
      },
      ({ input: { requestId, ...answer }, by }) => {
        questions.answer({ ...answer, by, ...once('answer', by, requestId) })
        return {}
      },
    ),
  ]
}

const watchRequests = (watches: ChatWatches): SocketRequest[] => [
  request(
    'chat:attach',
    {
      role: 'viewer',
      weight: snapshotWeight,
      summary:
        'Watches a session. Answers `{snapshot}`: entries, the text that streams now, waiting cards, the queue. `since` is the last `seq` that the client has.',
    },
    ({ input: { sessionId, since }, socket }) => ({ snapshot: watches.watch(socket, sessionId).snapshot(since) }),
  ),
  request('chat:ping', { role: 'viewer', summary: 'Tests the connection; does nothing.' }, () => ({})),
]

import type { AnswerBody, ChatRequests, QueuedMessage } from 'protocol'
import { createContext, use } from 'react'
import { keep } from '../../lib/keep.ts'
import { randomId } from '../../lib/random-id.ts'
import { ask } from '../../realtime/ask.ts'
import type { ChatSocket, Refusal } from '../../realtime/sockets.ts'
import type { ChatEvent } from './state.ts'
import { nextFrame, type Outgoing, SessionStore } from './store.ts'

const keptSessions = 8
const turns = new Set([
  'chat:user',
  'chat:done',
  'chat:error',
  'chat:confirm_needed',
  'chat:confirm_resolved',
  'chat:question',
  'chat:question_resolved',
  'chat:title',
])

/** How a message is sent. `requestId`: that of a message that is sent again. `model`: undefined for the session's model. `files`: ids of uploads. */
type Sending = { requestId?: string | undefined; model?: string | undefined; files?: string[] | undefined }
/** A person's answer on a card. */
type Decided = Omit<ChatRequests['chat:confirm'], 'sessionId' | 'toolUseId' | 'requestId'>
export type Sent = { ok: true; sessionId: string; runId: string } | Refusal

/** Stores unsent messages so that they survive a reload. Each keeps its `requestId`, so that the server accepts a repeated message only once. */
function keepUnsent(sessionId: string, store: SessionStore): SessionStore {
  const key = `unsent.${sessionId}`
  let kept: readonly Outgoing[] = []
  try {
    kept = JSON.parse(keep.get(key) ?? '[]') as Outgoing[]
  } catch {
    keep.set(key, undefined)
  }
  for (const message of kept) store.addOutgoing({ ...message, error: 'The page was reloaded before it arrived.' })
  store.state.subscribe(() => {
    const { outgoing } = store.state.get()
    if (outgoing === kept) return
    kept = outgoing
    keep.set(key, outgoing.length === 0 ? undefined : JSON.stringify(outgoing))
  })
  return store
}

/** The open sessions of this page, and the requests to them. */
export class ChatClient {
  readonly #socket: ChatSocket
  /** Stores by session id, the most recently used last. */
  readonly #stores = new Map<string, SessionStore>()
  /** Sessions with a pending `chat:attach`. `ask` repeats the request after a lost connection. */
  readonly #attaching = new Set<string>()
  /** By session id: the seq of the oldest known entry, while the page before that entry is read. */
  readonly #reading = new Map<string, number>()
  #leaving = new AbortController()

  /** @param onTurn called when a run begins, ends or waits, because lists of sessions are then out of date */
  constructor(socket: ChatSocket, onTurn: () => void) {
    this.#socket = socket
    socket.on('connect', () => {
      for (const sessionId of [...this.#stores.keys()].reverse()) void this.#attach(sessionId)
    })
    socket.on('disconnect', () => {
      for (const store of this.#stores.values()) store.lose()
    })
    socket.onAny((name: string, payload: { sessionId?: string }) => {
      const store = this.#stores.get(payload.sessionId ?? '')
      store?.receive({ name, ...payload } as ChatEvent)
      if (turns.has(name)) onTurn()
    })
  }

  /** Returns the store of a session. The first call attaches to the session. */
  open(sessionId: string): SessionStore {
    const known = this.#stores.get(sessionId)
    const store = known ?? keepUnsent(sessionId, new SessionStore(nextFrame, () => void this.#attach(sessionId)))
    this.#stores.delete(sessionId)
    this.#stores.set(sessionId, store)
    if (known === undefined && this.#socket.connected) void this.#attach(sessionId)
    const [oldest] = this.#stores.keys()
    if (this.#stores.size > keptSessions && oldest !== undefined) this.#stores.delete(oldest)
    return store
  }

  async #attach(sessionId: string): Promise<void> {
    const store = this.#stores.get(sessionId)
    if (store === undefined || this.#attaching.has(sessionId)) return
    this.#attaching.add(sessionId)
    store.hold()
    // Request everything after the last entry, not after the last token: a restarted server may reuse the seq numbers of tokens.
    const since = store.state.get().view?.entries.at(-1)?.seq
    const reply = await this.#ask('chat:attach', { sessionId, since })
    this.#attaching.delete(sessionId)
    if (reply.ok) store.take(reply.snapshot)
    else if (reply.error.code === 'unknown_session' || reply.error.code === 'not_found') store.markMissing()
  }

  #ask<Name extends keyof ChatRequests>(name: Name, payload: ChatRequests[Name]) {
    return ask(this.#socket, { name, payload }, this.#leaving.signal)
  }

  /** For sign-out: cancels pending requests and drops the sessions, which the next person must not see. Unsent messages are kept. */
  forget(): void {
    this.#stores.clear()
    this.#reading.clear()
    this.#leaving.abort()
    this.#leaving = new AbortController()
  }

  /** Sends a message to a session, or to a new one. */
  async send(
    sessionId: string | undefined,
    text: string,
    { requestId = randomId(), model, files }: Sending = {},
  ): Promise<Sent> {
    const store = sessionId === undefined ? undefined : this.open(sessionId)
    // A message that is sent again keeps its files.
    const attachments =
      files ?? store?.state.get().outgoing.find((message) => message.requestId === requestId)?.attachments
    const message = {
      requestId,
      text,
      afterSeq: store?.state.get().view?.lastSeq ?? -1,
      ...(attachments && { attachments }),
    }
    store?.addOutgoing(message)
    const reply = await this.#ask('chat:send', {
      message: text,
      requestId,
      sessionId,
      model,
      ...(attachments?.length && { attachments }),
    })
    if (reply.ok) store?.dropOutgoing(requestId)
    else store?.addOutgoing({ ...message, error: reply.error.message })
    return reply
  }

  confirm(sessionId: string, toolUseId: string, { note, goesBackAfterMin, ...decided }: Decided) {
    return this.#ask('chat:confirm', {
      sessionId,
      toolUseId,
      requestId: randomId(),
      ...decided,
      ...(note !== undefined && note.trim() !== '' && { note: note.trim() }),
      ...(goesBackAfterMin && { goesBackAfterMin }),
    })
  }

  answer(sessionId: string, questionId: string, answer: AnswerBody) {
    return this.#ask('chat:answer', { sessionId, questionId, ...answer, requestId: randomId() })
  }

  /** Stops one run, or all runs of the session if `runId` is undefined. */
  abort(sessionId: string, runId?: string) {
    return this.#ask('chat:abort', { sessionId, runId })
  }

  unqueue(sessionId: string, message: QueuedMessage) {
    return this.#ask('chat:unqueue', { sessionId, messageId: message.messageId })
  }

  /** Sends a queued message that was held back when a run was stopped. */
  sendHeld(sessionId: string, message: QueuedMessage) {
    return this.#ask('chat:send_held', { sessionId, messageId: message.messageId })
  }

  async loadEarlier(sessionId: string): Promise<void> {
    const store = this.open(sessionId)
    const { view } = store.state.get()
    const first = view?.entries[0]
    if (view === undefined || first === undefined || !view.hasEarlier) return
    // Read each page once, even if this method is called again meanwhile. The next page can be read after this one is drawn.
    if (this.#reading.get(sessionId) === first.seq) return
    this.#reading.set(sessionId, first.seq)
    try {
      const { earlierEntries } = await import('../../api/earlier-entries.ts')
      const page = await earlierEntries(sessionId, first.seq)
      store.addEarlier(page.items, page.hasEarlier)
    } finally {
      if (this.#reading.get(sessionId) === first.seq) this.#reading.delete(sessionId)
    }
  }
}

export const ChatContext = createContext<ChatClient | undefined>(undefined)

export function useChat(): ChatClient {
  const client = use(ChatContext)
  if (client === undefined) throw new Error('ChatContext is missing')
  return client
}

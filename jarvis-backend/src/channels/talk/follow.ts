import { hashOf } from 'node-kit/canonical'
import type { ChatEvents, Entry } from 'protocol'
import type { ChannelKind } from '../channel.ts'
import type { Notes, Transactions } from '../parts.ts'
import type { Recipient, TalkOf } from '../ports.ts'
import { messagesOf, questionKey, type RunFacts, runFacts } from './messages.ts'
import type { Chat, ChatStore, TalkPorts } from './ports.ts'
import type { Preview, Previews } from './previews.ts'
import type { TalkOutbox } from './talk-outbox.ts'

const entriesAtOnce = 200

export type FollowingParts = {
  talk: Pick<TalkPorts, 'watch' | 'entriesFrom' | 'entriesOfRun'>
  chats: ChatStore
  previews: Pick<Previews, 'of'>
  outbox: Pick<TalkOutbox, 'put' | 'revise'>
  database: Pick<Transactions, 'atomically'>
  /** The address of a session in the dashboard; undefined if it is not known. */
  linkTo(sessionId: string): string | undefined
  /** Sends the messages that are due. */
  look(): void
  notes: Pick<Notes, 'report'>
}

const keyOf = ({ recipient, thread, sessionId }: Pick<Chat, 'recipient' | 'thread' | 'sessionId'>) =>
  hashOf([recipient, thread, sessionId])

/** Follows the sessions of chats, and adds messages about their entries to the outbox. */
export class Following {
  readonly #parts: FollowingParts
  readonly #followed = new Map<string, Follower>()

  constructor(parts: FollowingParts) {
    this.#parts = parts
  }

  /** Follows a session of a chat; no-op if it is followed already. */
  follow(chat: Chat, recipient: Recipient, kind: ChannelKind): void {
    const key = keyOf(chat)
    if (this.#followed.has(key) || kind.capabilities.talks === undefined) return
    try {
      const follower = new Follower(this.#parts, { chat, recipient, kind })
      if (follower.start()) this.#followed.set(key, follower)
    } catch (error) {
      this.#parts.notes.report(error, 'a conversation on a channel could not be followed')
    }
  }

  /** Stops following the sessions of a recipient. */
  leave(recipient: string): void {
    for (const chat of this.#parts.chats.list()) {
      if (chat.recipient !== recipient) continue
      this.#followed.get(keyOf(chat))?.stop()
      this.#followed.delete(keyOf(chat))
    }
  }

  stop(): void {
    for (const follower of this.#followed.values()) follower.stop()
    this.#followed.clear()
  }
}

/** Follows one session of a chat. */
class Follower {
  readonly #parts: FollowingParts
  readonly #chat: Chat
  readonly #recipient: Recipient
  readonly #kind: ChannelKind
  readonly #preview: Preview
  readonly #facts = new Map<string, RunFacts>()
  #told: number
  #unwatch: (() => void) | undefined

  constructor(
    parts: FollowingParts,
    { chat, recipient, kind }: { chat: Chat; recipient: Recipient; kind: ChannelKind },
  ) {
    this.#parts = parts
    this.#chat = chat
    this.#recipient = recipient
    this.#kind = kind
    this.#told = chat.told
    this.#preview = parts.previews.of(chat, kind)
  }

  /**
   * Watches the session, and sends the entries that were added before the watch began and were not sent yet. @returns false if the session cannot be
   * watched
   */
  start(): boolean {
    this.#unwatch = this.#parts.talk.watch(this.#chat.sessionId, (event, payload) => this.#see(event, payload))
    if (this.#unwatch === undefined) return false
    this.#catchUp()
    return true
  }

  stop(): void {
    this.#unwatch?.()
    this.#preview.end()
  }

  #see<E extends keyof ChatEvents>(event: E, payload: ChatEvents[E]): void {
    if (event === 'chat:token' && 'text' in payload && typeof payload.text === 'string') {
      if (this.#factsOf(payload.runId).via === this.#kind.id) this.#preview.write(payload.runId, payload.text)
      return
    }
    if (event === 'chat:taken_back') this.#preview.turn()
    if ('at' in payload) this.#tell({ ...payload, type: event.slice('chat:'.length) } as unknown as Entry)
  }

  #catchUp(): void {
    let from = this.#told + 1
    for (;;) {
      const entries = this.#parts.talk.entriesFrom(this.#chat.sessionId, from, entriesAtOnce)
      const last = entries.at(-1)
      if (last === undefined) return
      for (const entry of entries) this.#tell(entry)
      from = last.seq + 1
    }
  }

  #tell(entry: Entry): void {
    if (entry.seq <= this.#told) return
    // Only the second entry of a run shows whether the run is a typed call, and only its end which files it wrote.
    if (entry.type === 'assistant' || entry.type === 'done') this.#facts.delete(entry.runId)
    const facts = this.#factsOf(entry.runId)
    // Other people may continue the session in the dashboard. The answers to them are not sent to this chat.
    if (facts.via !== this.#kind.id) return
    const { sessionId } = this.#chat
    const messages = messagesOf(entry, facts, {
      sessionId,
      mostChars: this.#kind.capabilities.talks?.mostChars ?? 0,
      link: this.#parts.linkTo(sessionId),
    })
    const isEnd = entry.type === 'done' || entry.type === 'error'
    if (entry.type === 'question_resolved') this.#endQuestion(entry.questionId)
    if (messages.length === 0 && !isEnd) return
    this.#parts.database.atomically(() => {
      for (const message of messages) this.#put(entry, { ...message, thread: this.#chat.thread })
      if (isEnd) this.#parts.chats.tell(this.#chat, entry.seq)
    })
    if (isEnd) {
      this.#told = entry.seq
      this.#facts.delete(entry.runId)
      this.#preview.end()
    } else if (entry.type === 'assistant') this.#preview.turn()
    if (messages.length > 0) this.#parts.look()
  }

  #put({ seq }: Entry, talk: TalkOf): void {
    const { thread, ...message } = talk
    const key =
      talk.what === 'question'
        ? questionKey(talk.questionId)
        : `talk:${thread}:${this.#chat.sessionId}:${seq}:${hashOf(message).slice(0, 12)}`
    this.#parts.outbox.put(this.#recipient, key, talk)
  }

  /** Changes the message of a question that has ended. */
  #endQuestion(questionId: string): void {
    this.#parts.outbox.revise(this.#recipient, questionKey(questionId), { what: 'question', questionId, thread: '' })
    this.#parts.look()
  }

  #factsOf(runId: string): RunFacts {
    const known = this.#facts.get(runId)
    if (known !== undefined) return known
    const found = runFacts(this.#parts.talk.entriesOfRun(runId))
    this.#facts.set(runId, found)
    return found
  }
}

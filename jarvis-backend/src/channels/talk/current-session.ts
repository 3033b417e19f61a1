import type { Clock } from '../../lib/clock.ts'
import type { ChannelKind } from '../channel.ts'
import type { Transactions } from '../parts.ts'
import type { Recipient } from '../ports.ts'
import { destinationOf } from './destination.ts'
import type { Following } from './follow.ts'
import type { ChatStore, HeldMessage, TalkPorts } from './ports.ts'

/** A message for the session. `isNew`: the person asked for a new session. */
export type Message = {
  thread: string
  text: string
  requestId: string
  attachments: readonly string[]
  isNew?: boolean
}

/** The person who talks, as a recipient, and the channel. `remember` runs in the transaction that stores the result. */
export type Talker = { to: Recipient; kind: ChannelKind; remember(): void }

export type CurrentSessionParts = {
  talk: Pick<TalkPorts, 'start' | 'session' | 'abort' | 'held' | 'agentFor' | 'hasAgent'>
  chats: Pick<ChatStore, 'current' | 'enter' | 'leave'>
  following: Pick<Following, 'follow'>
  clock: Pick<Clock, 'now'>
  database: Pick<Transactions, 'atomically'>
}

/** Keeps the current session of each chat, and sends the person's messages to it. */
export class CurrentSession {
  readonly #parts: CurrentSessionParts

  constructor(parts: CurrentSessionParts) {
    this.#parts = parts
  }

  /** Sends a message to the chat's current session, or begins a new session with it. @throws JarvisError */
  send({ thread, text, requestId, attachments, isNew }: Message, talker: Talker): { isQueued: boolean } {
    const { talk, chats } = this.#parts
    const { to, kind } = talker
    const sessionId = isNew === true ? undefined : chats.current(to.id, thread)?.sessionId
    const session = sessionId === undefined ? undefined : talk.session(sessionId)
    const current = sessionId === undefined || session === undefined ? undefined : { sessionId, agent: session.agent }
    const destination = destinationOf(text, current, (id) => talk.hasAgent(id))
    const sent = talk.start({
      text,
      by: to.person,
      via: kind.id,
      requestId,
      attachments,
      ...(destination.session === 'current' && { sessionId: destination.sessionId }),
      ...(destination.session === 'new' && destination.agent === 'bound' && { agent: this.#boundAgent(to, kind) }),
      remember: (made) => {
        if (made.sessionId !== sessionId) this.#enter(to, thread, made.sessionId)
        talker.remember()
      },
    })
    this.#follow(to, thread, kind)
    return { isQueued: sent.queued }
  }

  /** Makes an earlier session of the chat the current one. */
  open({ thread, sessionId }: { thread: string; sessionId: string }, { to, kind, remember }: Talker): void {
    this.#parts.database.atomically(() => {
      remember()
      this.#enter(to, thread, sessionId)
    })
    this.#follow(to, thread, kind)
  }

  /** Leaves the current session, so that the next message begins a new one. Runs within the caller's transaction. */
  leave(to: Recipient, thread: string): void {
    this.#parts.chats.leave(to.id, thread)
  }

  /** Stops the running answer, and holds back the messages that were sent after it. @returns false if nothing runs */
  stop(to: Recipient, thread: string): boolean {
    const { talk, chats } = this.#parts
    const chat = chats.current(to.id, thread)
    if (chat === undefined || talk.session(chat.sessionId)?.isRunning !== true) return false
    talk.abort(chat.sessionId, to.person)
    return true
  }

  /** This person's queued messages that are held because the chat's current session was stopped. */
  held(to: Recipient, thread: string): HeldMessage[] {
    const chat = this.#parts.chats.current(to.id, thread)
    return chat === undefined ? [] : this.#parts.talk.held(chat.sessionId, to.person)
  }

  /** The id of the chat's current session; undefined if there is none. */
  idOf(to: Recipient, thread: string): string | undefined {
    return this.#parts.chats.current(to.id, thread)?.sessionId
  }

  #enter(to: Recipient, thread: string, sessionId: string): void {
    const { chats, clock } = this.#parts
    chats.enter({ recipient: to.id, thread, sessionId, told: -1, at: clock.now() })
  }

  #follow(to: Recipient, thread: string, kind: ChannelKind): void {
    const chat = this.#parts.chats.current(to.id, thread)
    if (chat !== undefined) this.#parts.following.follow(chat, to, kind)
  }

  #boundAgent({ agent, account, chat, person }: Recipient, { id: channel }: ChannelKind): string {
    return agent ?? this.#parts.talk.agentFor({ channel, account, chat, person })
  }
}

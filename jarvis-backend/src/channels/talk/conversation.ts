import { oldBefore } from '../../lib/clock.ts'
import type { ChannelDirectory } from '../open-channels.ts'
import type { Attempt, Outbox } from '../outbox.ts'
import type { ChannelsHouse } from '../parts.ts'
import type { OutboxItem, Received, ReceivedOf, Recipient, TalkOf } from '../ports.ts'
import type { Spoken } from '../spoken.ts'
import { CurrentSession } from './current-session.ts'
import { Deeds } from './deeds.ts'
import { Following } from './follow.ts'
import { KeptFiles } from './kept-files.ts'
import { Listening } from './listening.ts'
import { heldWords, OrderAnswers } from './order-answers.ts'
import { Previews } from './previews.ts'
import { Sending, type TalkAttempt } from './sending.ts'
import { TalkOutbox } from './talk-outbox.ts'
import { Texts } from './texts.ts'

const notesKeptForMs = 7 * 24 * 60 * 60_000
/** The number of edited messages that are remembered, so that a person is told only once for each. */
const mostEdits = 1_000

export type ConversationParts = Pick<
  ChannelsHouse,
  'stores' | 'talk' | 'people' | 'words' | 'notes' | 'database' | 'pages' | 'clock'
> & {
  directory: Pick<ChannelDirectory, 'channel' | 'kind'>
  outbox: Pick<Outbox, 'add'>
  /** Sends the messages that are due. */
  look(): void
  signal: AbortSignal
}

/** Holds conversations with paired people in their private chats. It has no code for single channels. */
export class Conversation {
  readonly #parts: ConversationParts
  readonly #session: CurrentSession
  readonly #sending: Sending
  readonly #following: Following
  readonly #listening: Listening
  readonly #texts: Texts
  readonly #deeds: Deeds
  readonly #toldOfEdit = new Set<string>()

  constructor(parts: ConversationParts) {
    const { stores, talk, words, notes, database, pages, clock, directory, look, signal } = parts
    const { chats, choices, heard, recipients } = stores
    const { say, tell } = words
    const linkTo = (sessionId: string) => pages.linkTo(`/chat/${sessionId}`)
    const outbox = new TalkOutbox({ outbox: parts.outbox, clock, say })
    const previews = new Previews({ directory, chats, recipients, clock, tell, signal, notes })
    this.#parts = parts
    this.#sending = new Sending({ talk, chats, choices, heard, previews, tell, database, linkTo, signal })
    this.#following = new Following({ talk, chats, previews, outbox, database, linkTo, look, notes })
    this.#listening = new Listening({
      talk,
      heard,
      recipients,
      directory,
      outbox,
      database,
      words,
      notes,
      look,
      signal,
    })
    this.#session = new CurrentSession({ talk, chats, following: this.#following, clock, database })
    const session = this.#session
    this.#texts = new Texts({
      talk,
      session,
      listening: this.#listening,
      files: new KeptFiles({ talk, directory, signal }),
      orders: new OrderAnswers({ talk, session, outbox, say, database, look, pages }),
      clock,
      say,
      database,
      signal,
    })
    this.#deeds = new Deeds({ talk, choices, heard, session, outbox, clock, say, database, notes, look })
  }

  /** Handles a message that a person wrote. @returns the answer to the person; undefined: no answer */
  async text({ kind, account, incoming, advance }: ReceivedOf<'text'>): Promise<Spoken | undefined> {
    const to = this.#listenedTo({ kind, account, incoming })
    return to === undefined ? this.#ignore(advance) : this.#texts.take({ to, kind, incoming, advance })
  }

  /**
   * Handles an edit of a message that was handled before: the edit has no effect. @returns the answer, once for each message; undefined: no answer
   */
  edited(received: ReceivedOf<'edit'>): Spoken | undefined {
    const { incoming, advance } = received
    const to = this.#listenedTo(received)
    this.#parts.database.atomically(advance)
    const key = `${to?.id} ${incoming.ref}`
    if (to?.talks !== true || this.#toldOfEdit.has(key)) return undefined
    if (this.#toldOfEdit.size >= mostEdits) this.#toldOfEdit.clear()
    this.#toldOfEdit.add(key)
    return this.#parts.words.say('I answered what you wrote first. A changed message does not count: send it anew.')
  }

  /** Handles a press of a conversation's button. @returns the answer to the person; undefined: no answer */
  choose({ kind, account, incoming, advance }: ReceivedOf<'tap'>): Spoken | undefined {
    const to = this.#listenedTo({ kind, account, incoming })
    return to === undefined ? this.#ignore(advance) : this.#deeds.choose({ to, kind, incoming, advance })
  }

  /** Handles a press of the service's own stop button. @returns the messages that the stop holds back; undefined: no answer */
  stop(received: ReceivedOf<'stop'>): Spoken | undefined {
    const { incoming, advance } = received
    const to = this.#listenedTo(received)
    const { thread = '' } = incoming.from
    if (to?.talks === true) this.#session.stop(to, thread)
    this.#parts.database.atomically(advance)
    if (to?.talks !== true) return undefined
    const held = this.#session.held(to, thread)
    return held.length === 0 ? undefined : this.#parts.words.say(heldWords(held))
  }

  /** Makes one attempt at a message of the outbox. */
  attempt(attempt: TalkAttempt): Promise<Attempt> {
    return this.#sending.attempt(attempt)
  }

  /** Records that a message was sent, in the transaction of its end. */
  sent(item: OutboxItem, talk: TalkOf, ref: string | undefined): void {
    this.#sending.sent(item, talk, ref)
  }

  /** Stops following the conversations of a recipient who may no longer talk. Call it after the commit, because it changes only memory. */
  leave(id: string): void {
    this.#following.leave(id)
  }

  /** Removes the conversations of a removed recipient. Opens no transaction: the caller must have one open. */
  forget(id: string): void {
    const { chats, choices, heard } = this.#parts.stores
    this.#following.leave(id)
    chats.removeOf(id)
    choices.removeOf(id)
    heard.removeOf(id)
  }

  /** Continues the work that the last process left: answers that were not sent, and voice notes that were not transcribed. */
  resume(): void {
    const { stores, talk, directory, clock } = this.#parts
    stores.choices.prune(clock.now())
    stores.heard.prune(oldBefore(clock, notesKeptForMs))
    for (const chat of stores.chats.list()) {
      const to = stores.recipients.get(chat.recipient)
      const kind = to && directory.kind(to.channel)
      if (to?.talks === true && kind !== undefined && talk.session(chat.sessionId) !== undefined)
        this.#following.follow(chat, to, kind)
    }
    this.#listening.resume()
  }

  stopFollowing(): void {
    this.#following.stop()
  }

  /** The recipient whose private chat an event came from, if its person may decide cards now. Events of anybody else are ignored. */
  #listenedTo({ kind, account, incoming }: Omit<Received, 'advance'>): Recipient | undefined {
    const { stores, people } = this.#parts
    const from = 'from' in incoming ? incoming.from : undefined
    if (kind.capabilities.talks === undefined || from?.isPrivate !== true) return undefined
    const owner = stores.recipients
      .list(kind.id)
      .find((one) => !one.isGroup && one.account === account && one.user === from.user && one.chat === from.chat)
    return owner !== undefined && people.mayDecide(owner.person) ? owner : undefined
  }

  #ignore(advance: () => void): undefined {
    this.#parts.database.atomically(advance)
  }
}

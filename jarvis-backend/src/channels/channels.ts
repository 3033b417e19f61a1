import { hashOf } from 'node-kit/canonical'
import type { Card } from 'protocol'
import { newId } from '../lib/ids.ts'
import { Accounts } from './accounts.ts'
import { Attempts } from './attempts.ts'
import { CardMessages } from './card-messages.ts'
import type { Level } from './channel.ts'
import { Groups } from './groups.ts'
import { Hearers } from './hearers.ts'
import { Hearing } from './hearing.ts'
import { type ChannelDirectory, OpenChannels, type OpenChannelsParts } from './open-channels.ts'
import { OpenNotices } from './open-notices.ts'
import { type Attempt, Outbox } from './outbox.ts'
import { Pairings } from './pairings.ts'
import type { ChannelsHouse } from './parts.ts'
import type { Content, Open, OutboxItem, Recipient } from './ports.ts'
import { type NewMessage, noticeForMs, Putting } from './putting.ts'
import type { MatterKind } from './rules.ts'
import type { Spoken } from './spoken.ts'
import { Conversation } from './talk/conversation.ts'
import { attemptOf, Taps } from './taps.ts'

const testForMs = 10 * 60_000

/**
 * The text of a notice. `hidden`: the same text without names of guests, nodes or people. `asker`: the person whose matter the notice is about;
 * absent: the first owner's matter, or nobody's.
 */
export type Notice = {
  kind: MatterKind
  level: Exclude<Level, 'card'>
  title: string
  body: string
  hidden: string
  /** A second notice with this tag and the same title and body is not sent. */
  tag: string
  path: string
  asker?: string | undefined
  /** The question or change whose end takes the message back. */
  until?: Open
  /** The time after which the notice is of no use, Unix ms; absent: after a day. */
  expiresAt?: number
}

/** A recipient of a notice. `problem`: the reason why the message is not sent at once; absent if it is. */
export type Told = { label: string; problem?: string }

export type ChannelsParts = ChannelsHouse & Pick<OpenChannelsParts, 'kinds' | 'read'>

/** Sends messages to people over the configured channels, and takes their decisions. */
export class Channels {
  readonly pairings: Pairings
  readonly groups: Groups
  readonly #parts: ChannelsParts
  readonly #stopping = new AbortController()
  readonly #directory: OpenChannels
  readonly #outbox: Outbox
  readonly #putting: Putting
  readonly #hearers: Hearers
  readonly #accounts: Accounts
  readonly #conversation: Conversation
  readonly #cardMessages: CardMessages
  readonly #openNotices: OpenNotices
  readonly #hearing: Hearing

  constructor(parts: ChannelsParts) {
    const { stores, matters, people, words, notes, database, settings, rules, pages, clock } = parts
    const { outbox: store, recipients, nonces } = stores
    const { say } = words
    const { signal } = this.#stopping
    const look = () => this.#outbox.look()
    this.#parts = parts
    this.#directory = new OpenChannels({
      kinds: parts.kinds,
      read: parts.read,
      recipients,
      words,
      notes,
      pages,
      clock,
      hub: {
        listener: (kind, account) => this.#hearing.listener(kind, account),
        cursor: (channel) => this.#accounts.cursor(channel),
        opened: (kind, account) => this.#accounts.renew(kind, account),
        closed: (kind) => this.#accounts.closed(kind),
      },
    })
    const directory = this.#directory
    this.#outbox = new Outbox({
      store,
      database,
      notes,
      clock,
      sender: {
        attempt: (item) => attempts.attempt(item),
        isIdempotent: (channel) => directory.kind(channel)?.capabilities.isIdempotent === true,
        ended: (item, delivery) => this.#ended(item, delivery),
      },
    })
    /** The dependencies that most parts share. */
    const common = { store, recipients, directory, matters, database, notes, say, clock }
    const putting = new Putting({ ...common, outbox: this.#outbox, rules })
    const hearers = new Hearers({ recipients, directory, people })
    const taps = new Taps({ ...common, nonces, people, pages })
    const groups = new Groups({ ...common, putting, settings, look })
    const conversation = new Conversation({ ...parts, directory, outbox: this.#outbox, look, signal })
    const accounts = new Accounts({ ...parts, conversation })
    const pairings = new Pairings({ ...common, pairings: stores.pairings, accounts, putting, people, look })
    const attempts = new Attempts({ ...common, taps, putting, conversation, hearers, groups, pages, signal })
    const cardMessages = new CardMessages({ ...common, putting, hearers, people })
    this.groups = groups
    this.pairings = pairings
    this.#conversation = conversation
    this.#accounts = accounts
    this.#cardMessages = cardMessages
    this.#openNotices = new OpenNotices({ ...common, putting })
    this.#hearing = new Hearing({
      ...common,
      taps,
      pairings,
      groups,
      conversation,
      cardMessages,
      accounts,
      look,
    })
    this.#putting = putting
    this.#hearers = hearers
  }

  /** The known channels, and the state of each. */
  get directory(): ChannelDirectory {
    return this.#directory
  }

  /** Opens the configured channels, and continues the work that the last process left. */
  async resume(): Promise<void> {
    const { stores, database, clock } = this.#parts
    await this.#directory.look()
    database.atomically(() => {
      stores.nonces.prune(clock.now())
      stores.pairings.prune(clock.now())
    })
    this.#cardMessages.settle()
    this.#openNotices.settle()
    this.#conversation.resume()
    this.#outbox.resume()
  }

  /** Begins to listen for incoming events. */
  start(): void {
    this.#directory.start()
  }

  /** Reopens the channels whose settings have changed, or which now need or no longer need a listener for taps. */
  async reload(): Promise<void> {
    await this.#directory.look()
    this.#outbox.look()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#conversation.stopFollowing()
    await this.#directory.stop()
    await this.#outbox.stop()
  }

  /** Sends messages for a session's cards that wait, and changes the messages of decided cards. Never throws. */
  waiting(cards: readonly Card[]): void {
    this.#safely(() => {
      this.#cardMessages.tell(cards)
      this.#cardMessages.settle()
    })
  }

  /**
   * Sends a notice to all recipients that are notified of its matter. Never throws. @param only the person who alone gets the notice, as their own
   * matter @returns each recipient, with the reason why the message is not sent at once
   */
  tell(notice: Notice, only?: string): Told[] {
    const told: Told[] = []
    this.#safely(() => {
      for (const recipient of this.#hearers.of(only ?? notice.asker)) {
        if ((only ?? recipient.person) !== recipient.person) continue
        if (recipient.isGroup && only !== undefined) continue
        told.push(this.#tellOne(recipient, notice, only))
      }
    })
    return told
  }

  /** Takes back the messages about questions and changes that have ended. Never throws. */
  settle(): void {
    this.#safely(() => this.#openNotices.settle())
  }

  /** Sends a test message. @returns the id of the outbox item */
  test(recipient: Recipient): string {
    const { say } = this.#parts.words
    const title = say('This is a test.')
    const lines = [say('JARVIS reaches you here.')]
    const content: Content = { kind: 'test', level: 'info', title, lines, path: '/waiting', tag: 'test' }
    return this.#add(recipient, { key: newId('test'), content, forMs: testForMs })?.id ?? ''
  }

  /** Sends a message again that failed or was dropped. @returns the id of the new item; undefined if it cannot be sent again */
  again(id: string): string | undefined {
    const { outbox, recipients } = this.#parts.stores
    const item = outbox.get(id)
    const recipient = item && recipients.get(item.recipient)
    const canBe =
      item?.act === 'deliver' && (item.end === 'failed' || item.end === 'dropped') && item.content.kind !== 'card'
    if (recipient === undefined || !canBe) return undefined
    const key = `${item.key}:${newId('again')}`
    return this.#add(recipient, { key, content: item.content, forMs: noticeForMs })?.id
  }

  /** Returns the reason why the recipient's next message was not sent yet; undefined if no attempt to send it has failed. */
  stuck(recipient: string): string | undefined {
    const item = this.#parts.stores.outbox.head(recipient, this.#parts.clock.now())
    return item !== undefined && item.attempts > 0 && !item.isOpen ? item.why : undefined
  }

  /** Handles a tap that a phone sent as an HTTP request. @returns the answer to the phone */
  tapped(channel: string, token: string): Promise<Spoken> {
    return this.#hearing.tapped(channel, token)
  }

  /** Stops following the conversations of a recipient who may no longer talk. */
  quiet(id: string): void {
    this.#conversation.leave(id)
  }

  /** Removes one recipient. @returns false if there is no such recipient */
  remove(id: string, why: string): boolean {
    return this.#accounts.remove(id, why)
  }

  /**
   * Removes the recipients that were paired with a person, for example because their password was changed. @returns their names, such as
   * `telegram: Mira`
   */
  forgetPerson(person: string, why?: string): string[] {
    return this.#accounts.forgetPerson(person, why).map(({ channel, name }) => `${channel}: ${name}`)
  }

  /** Removes the recipients of a removed person. After the commit, tells each chat that was paired with the person once. */
  removePerson(person: string): void {
    const { database, notes } = this.#parts
    const paired = this.#accounts.forgetPerson(person, 'its person was removed')
    database.afterCommit(() => {
      for (const one of paired)
        this.#farewell(one).catch((error: unknown) => notes.report(error, 'a removed person could not be told'))
    })
  }

  /** Handles the end of an item, in the transaction that stores the end. */
  #ended(item: OutboxItem, delivery: Exclude<Attempt, { kind: 'again' }>): void {
    const { nonces, recipients } = this.#parts.stores
    if (delivery.kind === 'gone') this.#gone(item, delivery.why)
    if (delivery.kind !== 'sent') return
    if (delivery.ref !== undefined) nonces.bind(attemptOf(item), delivery.ref)
    const { talk } = item.content
    if (talk !== undefined) this.#conversation.sent(item, talk, delivery.ref)
    recipients.trouble(item.recipient, undefined)
  }

  /**
   * Removes a browser that ended its subscription, because a subscription that ended never works again. A recipient of another channel stays and is
   * only marked as not reached, because the same person may come back.
   */
  #gone({ recipient, channel }: OutboxItem, why: string): void {
    const { stores, people, notes } = this.#parts
    const found = stores.recipients.get(recipient)
    if (found === undefined || this.#directory.kind(channel)?.capabilities.subscribes !== true) {
      stores.recipients.trouble(recipient, why)
      return
    }
    notes.record({ change: 'unsubscribed', recipient, channel, person: found.person, because: why })
    this.#accounts.remove(recipient, why)
    notes.announce(`${found.name} of ${people.nameOf(found.person)} is told no more: ${why}.`, 'info')
  }

  #tellOne(recipient: Recipient, notice: Notice, only: string | undefined): Told {
    const { words, clock } = this.#parts
    const { kind, level, title, body, hidden, tag, path, asker, until, expiresAt } = notice
    const content: Content = {
      kind: 'notice',
      level,
      title: words.say(title),
      lines: [words.say(recipient.hidesNames ? hidden : body)],
      path,
      tag,
      asker: only ?? asker,
      until,
    }
    const key = `notice:${tag}:${hashOf([title, body]).slice(0, 16)}`
    const forMs = expiresAt === undefined ? noticeForMs : expiresAt - clock.now()
    const problem = this.#putting.put(recipient, { key, content, forMs }, { kind, level })
    const label = this.#directory.kind(recipient.channel)?.name ?? recipient.channel
    return { label, problem }
  }

  /** Adds a message and sends it. @returns the outbox item with the message's key; undefined if it is not among the newest 20 items */
  #add(recipient: Recipient, message: NewMessage): OutboxItem | undefined {
    this.#putting.add(recipient, message)
    this.#outbox.look()
    return this.#parts.stores.outbox.log({ limit: 20 }).find((item) => item.key === message.key)
  }

  /** Tells a removed person in their chat. There is no second attempt, because the person is a stranger from now on. */
  async #farewell({ id, channel, account, user, chat, isGroup }: Recipient): Promise<void> {
    const { words, clock } = this.#parts
    const open = this.#directory.channel(channel)
    if (isGroup || open?.account !== account || this.#directory.kind(channel)?.capabilities.pairs !== true) return
    const at = clock.now()
    await open.channel.deliver(
      {
        id: newId('out'),
        at,
        tag: `removed:${id}`,
        level: 'info',
        path: '/',
        buttons: [],
        isOver: false,
        expiresAt: at + testForMs,
        title: words.say('Your account in JARVIS was removed.'),
        lines: [words.say('This chat is paired with nobody any more, and what you write here is not answered.')],
      },
      { user, chat },
      this.#stopping.signal,
    )
  }

  #safely(work: () => void): void {
    try {
      work()
      this.#outbox.look()
    } catch (error) {
      this.#parts.notes.report(error, 'people could not be told over channels')
    }
  }
}

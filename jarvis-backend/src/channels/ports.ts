import type { ChannelKind, Decides, Incoming, Level } from './channel.ts'
import type { Spoken } from './spoken.ts'

/** The content of a message in the outbox. Its texts leave as they are. */
export type Content = {
  kind: 'card' | 'notice' | 'digest' | 'test' | 'pairing' | 'talk'
  level: Level
  title: Spoken
  lines: readonly Spoken[]
  /** Path of a page of the dashboard. */
  path: string
  /** The subject of the message. Absent: the message's own id. */
  tag?: string
  /** The person whose matter it is; absent: the first owner's matter, or nobody's. */
  asker?: string | undefined
  /** The matter whose end withdraws the message. */
  until?: Open
  /** The card and its buttons, if the message is about a card. */
  card?: CardOf
  isOver?: true
  /** The item whose message this changes. */
  of?: string
  /** The service's id of the message that this changes. Absent: the id that the item `of` has. */
  ref?: string
  /** A digest tells the messages that were held since this time, Unix ms. */
  since?: number
  /** The source of a message of a conversation. The outbox does not keep the text itself. */
  talk?: TalkOf
}
/**
 * The source from which a message of a conversation is made when it is sent. `thread`: empty for the chat itself. `part`: 0 to `of` - 1.
 */
export type TalkOf = { thread: string } & (
  | { what: 'entry'; sessionId: string; seq: number; part: number; of: number }
  | { what: 'picture'; sessionId: string; image: string }
  | { what: 'question'; questionId: string }
  | { what: 'heard'; id: string }
  | { what: 'sessions' }
)
/** The matter that a notice is about, by its id. */
export type Open = { kind: 'question' | 'change'; id: string }
/** `deny`, `approve`: labels of the buttons; absent: no such button. */
export type CardOf = { toolUseId: string; bindingHash: string; deny?: Spoken; approve?: Spoken }

export type OutboxAct = 'deliver' | 'revise' | 'withdraw'
/** `held`: told in a digest instead. `dropped`: not sent, on purpose. `failed`: could not be sent. */
export type OutboxEnd = 'sent' | 'held' | 'dropped' | 'failed'

export type OutboxItem = {
  id: string
  /** Grows with each item. */
  seq: number
  recipient: string
  channel: string
  act: OutboxAct
  /** No two items of a recipient have the same key and act. */
  key: string
  content: Content
  createdAt: number
  /** No attempt is made before, Unix ms. */
  notBefore: number
  expiresAt: number
  attempts: number
  /** An attempt was begun and its end is not known. */
  isOpen: boolean
  /** An earlier attempt ended with the process, so the service may have a copy of the message. */
  mayExist: boolean
  end?: OutboxEnd
  endedAt?: number
  /** The service's id of the message. */
  ref?: string
  /** The reason why it is not sent yet, or was not sent. */
  why?: string
}

/** Messages that are to leave, and what became of those of the last days. */
/** How an item ended. `at`: Unix ms. `ref`: the message at the service. */
export type OutboxEnding = { end: OutboxEnd; at: number; ref?: string; why?: string }

export interface OutboxStore {
  /** @returns false if the recipient has an item with this key and act */
  add(item: Omit<OutboxItem, 'seq' | 'attempts' | 'isOpen' | 'mayExist'>): boolean
  get(id: string): OutboxItem | undefined
  /** Recipients that something waits for. */
  recipients(): string[]
  /** The oldest item that is due, or was tried before and keeps the later items waiting; undefined if there is none. */
  head(recipient: string, now: number): OutboxItem | undefined
  /** When the next item is due that has not ended, Unix ms. */
  soonest(recipient: string): number | undefined
  /** The number of items that have not ended. */
  waiting(recipient?: string): number
  /** Notes that an attempt begins. */
  begin(id: string): void
  /** Notes that another attempt follows. */
  again(id: string, notBefore: number, why: string): void
  /** Ends an item. @returns false if it had ended before */
  end(id: string, ending: OutboxEnding): boolean
  /** Ends those of a recipient whose time is over as dropped. @returns how many */
  dropStale(recipient: string, at: number, why: string): number
  /** Ends the oldest notices of a recipient as dropped until no more than `most` wait. @returns how many */
  dropOldest(recipient: string, most: number, dropped: { at: number; why: string }): number
  /** Ends all that wait for a recipient as dropped. @returns how many */
  dropAll(recipient: string, at: number, why: string): number
  /** Attempts whose end the last process did not learn are to be made again. @returns how many */
  reopen(why: string): number
  /** The delivered or waiting cards, and notices of what is open, that nothing was revised for, oldest first. */
  openCards(): OutboxItem[]
  /** Returns true if the recipient has an item with this key and the act `deliver`. */
  has(recipient: string, key: string): boolean
  /** The number of a recipient's cards that were added since a time, sent or not. */
  cardsSince(recipient: string, at: number): number
  /** The number of a recipient's notices that were added since a time, sent or not. */
  noticesSince(recipient: string, at: number): number
  /** The messages that were held for a digest since a time, oldest first. */
  held(recipient: string, since: number): OutboxItem[]
  /** Notes that a card, or what a notice waits for, is settled. */
  settle(id: string): void
  /** Newest first. */
  log(query: { limit: number; before?: number }): OutboxItem[]
  /** The number of items for each end since a time. */
  counts(since: number): Record<OutboxEnd, number>
  /** Removes items that ended before a time, and all but the newest `most` ended items. */
  prune(before: number, most: number): void
}

/**
 * Something that came in over an open channel. `account`: the account of ours that received it. `advance` notes that it was taken: call it once,
 * in the transaction that stores its result.
 */
export type Received<What extends Incoming = Incoming> = {
  kind: ChannelKind
  account: string
  incoming: What
  advance(): void
}
export type ReceivedOf<Kind extends Incoming['kind']> = Received<Extract<Incoming, { kind: Kind }>>

/** Somebody who is reached over a channel. */
export type Recipient = {
  id: string
  channel: string
  /** The account of ours that it was paired with: a hash of what signs us in there. */
  account: string
  /** The person who receives the messages. */
  person: string
  user: string
  chat: string
  /** As the service shows them; anybody may choose it. */
  name: string
  /** A group chat, which is told and never heard. `user` and `chat` are its id, `person` is the owner who chose it. */
  isGroup: boolean
  decides: Decides
  hidesNames: boolean
  /** The person may talk with JARVIS over the channel. */
  talks: boolean
  /** The agent that answers the person. Absent: the bindings of agents choose. */
  agent?: string
  createdAt: number
  /** The reason why the recipient is not reached. */
  problem?: string
}

export interface RecipientStore {
  /** @returns false if the channel has a recipient with that user */
  add(recipient: Recipient): boolean
  get(id: string): Recipient | undefined
  list(channel?: string): Recipient[]
  /** @param more `agent` null: as the bindings say */
  set(
    id: string,
    more: Partial<Pick<Recipient, 'decides' | 'hidesNames' | 'talks'>> & { agent?: string | null },
  ): boolean
  /** The service gave a group another id. @returns false if the channel has a recipient with that id */
  move(id: string, chat: string): boolean
  /** @param problem undefined: it is reached again */
  trouble(id: string, problem: string | undefined): void
  remove(id: string): boolean
}

/** A pairing that was begun. `hash`: of its code. */
export type Pairing = {
  id: string
  hash: string
  channel: string
  account: string
  person: string
  createdAt: number
  expiresAt: number
  /** The account that used the code. */
  opened?: { user: string; chat: string; name: string; at: number }
}

export interface PairingStore {
  add(pairing: Pairing): void
  get(id: string): Pairing | undefined
  byHash(hash: string): Pairing | undefined
  /** Pairings that have not ended, oldest first. */
  list(now: number): Pairing[]
  /** First wins. */
  open(id: string, by: NonNullable<Pairing['opened']>): boolean
  remove(id: string): boolean
  removeOf(channel: string): number
  prune(now: number): void
}

/** One button of one message. `hash`: of its token. */
export type Nonce = {
  hash: string
  recipient: string
  /** The attempt of the outbox's item that sent it. */
  item: string
  toolUseId: string
  bindingHash: string
  decision: 'approve' | 'deny' | 'look'
  /** The service's id of the message; absent until it is known. */
  ref?: string
  expiresAt: number
  usedAt?: number
}

export interface NonceStore {
  add(nonce: Nonce): void
  get(hash: string): Nonce | undefined
  /** Binds the buttons of an attempt that are bound to no message yet. */
  bind(item: string, ref: string): void
  /** First wins. */
  use(hash: string, at: number): boolean
  /** Ends the buttons of one recipient, or of all. */
  removeOf(recipient: string): void
  prune(now: number): void
}

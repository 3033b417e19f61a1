import type { ChannelKind, Decides, Incoming, Level } from './channel.ts'
import type { Spoken } from './spoken.ts'

/** The content of a message in the outbox. Its texts are already redacted. */
export type Content = {
  kind: 'card' | 'notice' | 'digest' | 'test' | 'pairing' | 'talk'
  level: Level
  title: Spoken
  lines: readonly Spoken[]
  /** Path of a page of the dashboard. */
  path: string
  /** The subject of the message. Absent: the message's own id is the subject. */
  tag?: string
  /** The person whose matter the message is about; absent: the first owner's matter, or nobody's. */
  asker?: string | undefined
  /** The question or change whose end takes the message back. */
  until?: Open
  /** The card and its buttons, if the message is about a card. */
  card?: CardOf
  isOver?: true
  /** The id of the outbox item whose message this item changes. */
  of?: string
  /** The service's id of the message that this item changes. Absent: the id stored with the item `of`. */
  ref?: string
  /** A digest lists the messages that were held since this time, Unix ms. */
  since?: number
  /** The source of a message of a conversation. The outbox stores the source instead of the text. */
  talk?: TalkOf
}
/**
 * The source of a message of a conversation. The text is made from it when the message is sent. `thread`: empty for the chat itself. `part`: 0 to
 * `of` - 1.
 */
export type TalkOf = { thread: string } & (
  | { what: 'entry'; sessionId: string; seq: number; part: number; of: number }
  | { what: 'picture'; sessionId: string; image: string }
  /** A file of the session's own folder. */
  | { what: 'file'; sessionId: string; path: string }
  | { what: 'question'; questionId: string }
  | { what: 'heard'; id: string }
  | { what: 'sessions' }
)
/** The question or change that a notice is about. */
export type Open = { kind: 'question' | 'change'; id: string }
/** The card of a message. `deny`, `approve`: labels of the buttons; absent: no such button. */
export type CardOf = { toolUseId: string; bindingHash: string; deny?: Spoken; approve?: Spoken }

export type OutboxAct = 'deliver' | 'revise' | 'withdraw'
/** The end of an outbox item. `held`: listed in a digest instead. `dropped`: not sent, on purpose. `failed`: could not be sent. */
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
  /** No attempt is made before this time, Unix ms. */
  notBefore: number
  expiresAt: number
  attempts: number
  /** An attempt was begun, and its outcome is not known. */
  isOpen: boolean
  /** The process ended during an earlier attempt, so the service may have a copy of the message. */
  mayExist: boolean
  end?: OutboxEnd
  endedAt?: number
  /** The service's id of the message. */
  ref?: string
  /** The reason why the message is not sent yet, or was not sent. */
  why?: string
}

/** Keeps the messages that are to be sent, and for some days the outcomes of ended ones. */
/** The end of an item. `at`: Unix ms. `ref`: the service's id of the message. */
export type OutboxEnding = { end: OutboxEnd; at: number; ref?: string; why?: string }

export interface OutboxStore {
  /** Adds an item. @returns false if the recipient has an item with this key and act */
  add(item: Omit<OutboxItem, 'seq' | 'attempts' | 'isOpen' | 'mayExist'>): boolean
  get(id: string): OutboxItem | undefined
  /** The recipients that have a waiting item. */
  recipients(): string[]
  /** The item to send next: the oldest item that is due, or an item that was tried before and blocks the later ones; undefined if there is none. */
  head(recipient: string, now: number): OutboxItem | undefined
  /** The time when the recipient's next open item is due, Unix ms; undefined if there is none. */
  soonest(recipient: string): number | undefined
  /** The number of items that have not ended. */
  waiting(recipient?: string): number
  /** Records that an attempt begins. */
  begin(id: string): void
  /** Records that another attempt follows. */
  again(id: string, notBefore: number, why: string): void
  /** Ends an item. @returns false if it had ended before */
  end(id: string, ending: OutboxEnding): boolean
  /** Ends the expired items of a recipient as dropped. @returns their number */
  dropStale(recipient: string, at: number, why: string): number
  /** Ends the oldest notices of a recipient as dropped until no more than `most` wait. @returns their number */
  dropOldest(recipient: string, most: number, dropped: { at: number; why: string }): number
  /** Ends all waiting items of a recipient as dropped. @returns their number */
  dropAll(recipient: string, at: number, why: string): number
  /** Schedules a new attempt for each item whose last attempt has no known outcome because the process ended. @returns their number */
  reopen(why: string): number
  /** The items about cards, questions and changes that were not settled yet, oldest first, whether their messages were sent or still wait. */
  openCards(): OutboxItem[]
  /** Returns true if the recipient has an item with this key and the act `deliver`. */
  has(recipient: string, key: string): boolean
  /** The number of a recipient's cards that were added since a time, sent or not. */
  cardsSince(recipient: string, at: number): number
  /** The number of a recipient's notices that were added since a time, sent or not. Held notices do not count. */
  noticesSince(recipient: string, at: number): number
  /** The messages that were held for a digest since a time, oldest first. */
  held(recipient: string, since: number): OutboxItem[]
  /** Marks an item as settled: its card is decided, or the question or change of its notice has ended. */
  settle(id: string): void
  /** All items, newest first. */
  log(query: { limit: number; before?: number }): OutboxItem[]
  /** The number of items for each end since a time. */
  counts(since: number): Record<OutboxEnd, number>
  /** Removes items that ended before a time, and all but the newest `most` ended items. */
  prune(before: number, most: number): void
}

/**
 * An event that came in over an open channel. `account`: the account of JARVIS that received it. `advance` records that the event was handled: call
 * it once, in the transaction that stores the result.
 */
export type Received<What extends Incoming = Incoming> = {
  kind: ChannelKind
  account: string
  incoming: What
  advance(): void
}
export type ReceivedOf<Kind extends Incoming['kind']> = Received<Extract<Incoming, { kind: Kind }>>

/** A person, browser or group that a channel reaches. */
export type Recipient = {
  id: string
  channel: string
  /** The account of JARVIS at the service that the recipient was paired with: a hash of the channel's settings. */
  account: string
  /** The person who receives the messages. */
  person: string
  user: string
  chat: string
  /** The name that the service shows; anybody may choose it. */
  name: string
  /**
   * True for a group chat. It gets messages, and JARVIS reads nothing from it. `user` and `chat` are the group's id; `person` is the owner who chose
   * the group.
   */
  isGroup: boolean
  decides: Decides
  hidesNames: boolean
  /** The person may talk with JARVIS over the channel. */
  talks: boolean
  /** The agent that answers the person. Absent: the bindings of agents choose. */
  agent?: string
  createdAt: number
  /** The reason why messages do not reach the recipient. */
  problem?: string
}

export interface RecipientStore {
  /** Adds a recipient. @returns false if the channel has a recipient with that user */
  add(recipient: Recipient): boolean
  get(id: string): Recipient | undefined
  list(channel?: string): Recipient[]
  /** Changes a recipient. @param more `agent` null: the bindings of agents choose the agent */
  set(
    id: string,
    more: Partial<Pick<Recipient, 'decides' | 'hidesNames' | 'talks'>> & { agent?: string | null },
  ): boolean
  /** Stores the new id that the service gave a group. @returns false if the channel has a recipient with that id */
  move(id: string, chat: string): boolean
  /** Records why a recipient is not reached. @param problem undefined: the recipient is reached again */
  trouble(id: string, problem: string | undefined): void
  remove(id: string): boolean
}

/** A pairing that was begun. `hash`: the hash of its code. */
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
  /** Records the account that used the code. Only the first call counts. @returns false if an earlier call came first */
  open(id: string, by: NonNullable<Pairing['opened']>): boolean
  remove(id: string): boolean
  removeOf(channel: string): number
  prune(now: number): void
}

/** One button of one message. `hash`: the hash of its token. */
export type Nonce = {
  hash: string
  recipient: string
  /** The attempt that sent the button's message, as named by `attemptOf`. */
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
  /** Stores the id of the sent message with the buttons of its attempt. Buttons that already have a message keep it. */
  bind(item: string, ref: string): void
  /** Marks a button as used. Only the first call counts. @returns false if the button was used before */
  use(hash: string, at: number): boolean
  /** Removes the buttons of a recipient. */
  removeOf(recipient: string): void
  prune(now: number): void
}

import type { Decides, Level } from './channel.ts'
import type { Spoken } from './spoken.ts'

/** What an outbox keeps of a message. Its texts are those that leave. */
export type Content = {
  kind: 'card' | 'notice' | 'digest' | 'test' | 'pairing' | 'talk'
  level: Level
  title: Spoken
  lines: readonly Spoken[]
  /** Of the dashboard. */
  path: string
  /** What it is about; absent: itself alone. */
  tag?: string
  /** Whose matter it is; absent: the first owner's, or nobody's. */
  asker?: string | undefined
  /** What ends it, so that it is withdrawn then. */
  until?: Open
  /** Of a card: what its buttons may do. */
  card?: CardOf
  isOver?: true
  /** The item whose message this changes. */
  of?: string
  /** The service's id of the message that this changes; absent: the one that the item has. */
  ref?: string
  /** Of a digest: it tells what was held since, Unix ms. */
  since?: number
  /** Of a conversation: where its text is. The outbox keeps none of it. */
  talk?: TalkOf
}
/**
 * A message of a conversation, by what it is made of when it is sent. `thread`: empty for the chat itself. `part`: from 0, of `of`.
 */
export type TalkOf = { thread: string } & (
  | { what: 'entry'; sessionId: string; seq: number; part: number; of: number }
  | { what: 'picture'; sessionId: string; image: string }
  | { what: 'question'; questionId: string }
  | { what: 'heard'; id: string }
  | { what: 'sessions' }
)
/** What a notice waits for, by its id. */
export type Open = { kind: 'question' | 'change'; id: string }
/** `deny`, `approve`: labels of the buttons; absent: no such button. */
export type CardOf = { toolUseId: string; bindingHash: string; deny?: Spoken; approve?: Spoken }

export type OutboxAct = 'deliver' | 'revise' | 'withdraw'
/** `held`: told of in a digest instead. `dropped`: not sent, on purpose. `failed`: it could not be sent. */
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
  /** Why it is not sent yet, or was not. */
  why?: string
}

/** Messages that are to leave, and what became of those of the last days. */
export interface OutboxStore {
  /** @returns false where the recipient has an item of this key and act */
  add(item: Omit<OutboxItem, 'seq' | 'attempts' | 'isOpen' | 'mayExist'>): boolean
  get(id: string): OutboxItem | undefined
  /** Recipients that something waits for. */
  recipients(): string[]
  /** The oldest item that is due, or was tried already and so keeps the later ones waiting; undefined where there is none. */
  head(recipient: string, now: number): OutboxItem | undefined
  /** When the next item is due that has not ended, Unix ms. */
  soonest(recipient: string): number | undefined
  /** How many have not ended. */
  waiting(recipient?: string): number
  /** Notes that an attempt begins. */
  begin(id: string): void
  /** Notes that another attempt follows. */
  again(id: string, notBefore: number, why: string): void
  /** First wins. */
  end(id: string, end: OutboxEnd, at: number, more: { ref?: string; why?: string }): boolean
  /** Ends those of a recipient whose time is over as dropped. @returns how many */
  dropStale(recipient: string, at: number, why: string): number
  /** Ends the oldest notices of a recipient as dropped until no more than `most` wait. @returns how many */
  dropOldest(recipient: string, most: number, at: number, why: string): number
  /** Ends all that wait for a recipient as dropped. @returns how many */
  dropAll(recipient: string, at: number, why: string): number
  /** Attempts whose end the last process did not learn are to be made again. @returns how many */
  reopen(why: string): number
  /** The delivered or waiting cards, and notices of what is open, that nothing was revised for, oldest first. */
  openCards(): OutboxItem[]
  /** Whether the recipient has an item of this key that delivers. */
  has(recipient: string, key: string): boolean
  /** How many cards of a recipient were added since a time, sent or not. */
  cardsSince(recipient: string, at: number): number
  /** The same of notices. */
  noticesSince(recipient: string, at: number): number
  /** What was held for a digest since a time, oldest first. */
  held(recipient: string, since: number): OutboxItem[]
  /** Notes that a card, or what a notice waits for, is settled. */
  settle(id: string): void
  /** Newest first. */
  log(query: { limit: number; before?: number }): OutboxItem[]
  /** Of each end, how many since a time. */
  counts(since: number): Record<OutboxEnd, number>
  /** Forgets what ended before a time, and all but the newest `most` of what ended. */
  prune(before: number, most: number): void
}

/** Somebody who is reached over a channel. */
export type Recipient = {
  id: string
  channel: string
  /** The account of ours that it was paired with: a hash of what signs us in there. */
  account: string
  /** Whose messages these are. */
  person: string
  user: string
  chat: string
  /** As the service shows them; anybody may choose it. */
  name: string
  /** A group chat, which is told and never heard. `user` and `chat` are its id, `person` is the owner who chose it. */
  isGroup: boolean
  decides: Decides
  hidesNames: boolean
  /** They may talk with JARVIS there. */
  talks: boolean
  /** Who answers them; absent: as the bindings of agents say. */
  agent?: string
  createdAt: number
  /** Why nobody is reached there. */
  problem?: string
}

export interface RecipientStore {
  /** @returns false where the channel has that user already */
  add(recipient: Recipient): boolean
  get(id: string): Recipient | undefined
  list(channel?: string): Recipient[]
  /** @param more `agent` null: as the bindings say */
  set(
    id: string,
    more: Partial<Pick<Recipient, 'decides' | 'hidesNames' | 'talks'>> & { agent?: string | null },
  ): boolean
  /** The service gave a group another id. @returns false where the channel has that one already */
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
  /** Who used the code. */
  opened?: { user: string; chat: string; name: string; at: number }
}

export interface PairingStore {
  add(pairing: Pairing): void
  get(id: string): Pairing | undefined
  byHash(hash: string): Pairing | undefined
  /** Those that have not ended, oldest first. */
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

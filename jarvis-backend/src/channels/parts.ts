import type { Card } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import type { Pages } from './addresses.ts'
import type { Ending } from './cards.ts'
import type { KeptRules } from './kept-rules.ts'
import type { NonceStore, Open, OutboxStore, PairingStore, Recipient, RecipientStore } from './ports.ts'
import type { Say, Tell } from './spoken.ts'
import type { ChatStore, ChoiceStore, HeardStore, TalkPorts } from './talk/ports.ts'

export type ChannelStores = {
  outbox: OutboxStore
  recipients: RecipientStore
  pairings: PairingStore
  nonces: NonceStore
  chats: ChatStore
  choices: ChoiceStore
  heard: HeardStore
}

/** A card as it is stored. */
export type KnownCard = { card: Card; bindingHash: string; isDecided: boolean; ending?: Ending | undefined }

/** The decision that a tap makes. `remember` runs in the transaction of the decision. */
export type TapDecision = { toolUseId: string; confirmed: boolean; by: string; via: string; remember(): void }

/** The matters that messages are about: cards, questions, and changes that are taken back unless a person keeps them. */
export interface Matters {
  /** Returns a card; undefined if there is no such card. */
  card(toolUseId: string): KnownCard | undefined
  /** Returns true while a question has no answer, or a change may still be taken back. */
  isOpen(what: Open): boolean
  /** Decides a card. @throws JarvisError as `Confirmations.decide` */
  decide(decision: TapDecision): void | Promise<void>
  /** Called when a person sees a card: the card's waiting time begins. */
  seen(toolUseId: string): void
}

/** The people that channels reach. */
export interface ChannelPeople {
  /** The owner who gets the messages of a channel that does not pair people. */
  readonly firstOwner: string
  nameOf(person: string): string
  /** Returns true if a person may decide cards now, and is therefore notified of them. */
  mayDecide(person: string): boolean
  /** Returns true if a person is notified of another person's matter. Operators are notified of every matter, members of their own. */
  hears(person: string, asker: string | undefined): boolean
}

/** Makes the texts that JARVIS sends over channels. */
export type Words = {
  say: Say
  tell: Tell
  redact(text: string): string
  /** Adds a secret to the redactor. */
  hide(secret: string): void
}

/** Records what happens in the journal, the activity feed, the dashboard and the log. */
export type Notes = {
  /** Writes to the journal, in the caller's transaction. */
  record(body: Record<string, unknown>): void
  announce(text: string, level: 'info' | 'warning'): void
  /** Makes clients reload the channels. */
  changed(): void
  report(error: unknown, message: string): void
}

/** Transactions, as `Database` has them. */
export interface Transactions {
  atomically<T>(work: () => T): T
  /** Runs `work` in a transaction. The writes are on disk when it returns. */
  durably<T>(work: () => T): T
  afterCommit(run: () => void): void
  untilFree(forever: 'forever'): Promise<void> | undefined
}

export type KeptSettings = { get(key: string): string | undefined; set(key: string, value: string): void }

/** The parts of JARVIS that all parts of the channels share. */
export type ChannelsHouse = {
  stores: ChannelStores
  matters: Matters
  people: ChannelPeople
  words: Words
  notes: Notes
  database: Transactions
  settings: KeptSettings
  rules: Pick<KeptRules, 'now'>
  pages: Pages
  clock: Clock
  /** The parts of JARVIS that a conversation uses. */
  talk: TalkPorts
  /** Called for each recipient that is removed, in the transaction that removes it. */
  left(recipient: Recipient): void
}

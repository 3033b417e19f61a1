import type { Clock } from '../lib/clock.ts'
import type { Accounts } from './accounts.ts'
import type { CardMessages } from './card-messages.ts'
import type { Answered, ChannelKind, Heard, Sender } from './channel.ts'
import type { Groups } from './groups.ts'
import type { ChannelDirectory } from './open-channels.ts'
import type { Pairings } from './pairings.ts'
import type { Matters, Notes, Transactions } from './parts.ts'
import type { OutboxStore, Received, ReceivedOf, RecipientStore } from './ports.ts'
import type { Spoken } from './spoken.ts'
import { isChoice } from './talk/choices.ts'
import type { Conversation } from './talk/conversation.ts'
import type { Taps } from './taps.ts'

const strangersEveryMs = 60 * 60_000

export type HearingParts = {
  store: Pick<OutboxStore, 'get'>
  recipients: Pick<RecipientStore, 'get' | 'list'>
  directory: Pick<ChannelDirectory, 'channel' | 'kind'>
  taps: Pick<Taps, 'tap' | 'button' | 'over'>
  pairings: Pick<Pairings, 'opened'>
  groups: Pick<Groups, 'noticed'>
  conversation: Pick<Conversation, 'choose' | 'text' | 'edited' | 'stop'>
  cardMessages: Pick<CardMessages, 'revise'>
  matters: Pick<Matters, 'card'>
  accounts: Pick<Accounts, 'advance'>
  database: Pick<Transactions, 'atomically' | 'untilFree'>
  notes: Pick<Notes, 'announce'>
  /** Sends the messages that are due. */
  look(): void
  clock: Pick<Clock, 'now'>
}

/** Passes each incoming event to the part that handles it. Strangers get no answer. */
export class Hearing {
  readonly #parts: HearingParts
  /** The number of strangers' messages since the last announcement. */
  #strangers = 0
  #strangersTold = Number.NEGATIVE_INFINITY

  constructor(parts: HearingParts) {
    this.#parts = parts
  }

  /** Returns the handler of all incoming events of one account of a channel. */
  listener(kind: ChannelKind, account: string): Heard {
    const { database, accounts, look } = this.#parts
    return async (incoming) => {
      const free = database.untilFree('forever')
      if (free !== undefined) await free
      const advance = () => {
        if (incoming.cursor !== undefined) accounts.advance(kind.id, incoming.cursor)
      }
      const answer = await this.#handle({ kind, account, incoming, advance })
      const from = 'from' in incoming ? incoming.from : undefined
      if (answer === undefined && from !== undefined && !this.#isKnown(kind, from)) this.#noteStranger(kind)
      if (answer !== undefined) look()
      return typeof answer === 'string' ? { answer } : (answer ?? {})
    }
  }

  /** Handles a tap that a phone sent as an HTTP request. Only a denial is accepted. @returns the answer to the phone */
  async tapped(channel: string, token: string): Promise<Spoken> {
    const { directory, taps } = this.#parts
    const kind = directory.kind(channel)
    const open = directory.channel(channel)
    const isTap = kind?.capabilities.tapsByAddress === true && token.endsWith('.d')
    if (kind === undefined || open === undefined || !isTap) return taps.over
    const { answer } = await this.listener(kind, open.account)({ kind: 'tap', token })
    return answer ?? taps.over
  }

  async #handle(received: Received): Promise<Answered | Spoken | undefined> {
    const { pairings, conversation, groups, database } = this.#parts
    const { incoming, ...rest } = received
    switch (incoming.kind) {
      case 'tap': {
        const tap = { ...rest, incoming }
        return isChoice(incoming.token) ? conversation.choose(tap) : this.#decide(tap)
      }
      case 'pair':
        return pairings.opened({ ...rest, incoming })
      case 'text':
        return conversation.text({ ...rest, incoming })
      case 'edit':
        return conversation.edited({ ...rest, incoming })
      case 'stop':
        return conversation.stop({ ...rest, incoming })
      case 'group':
        return groups.noticed({ ...rest, incoming })
      case 'other':
        database.atomically(rest.advance)
        return undefined
      default:
        return incoming satisfies never
    }
  }

  /**
   * Decides a card by a tap. If the tap comes from a copy of the card's message that was not recorded because of a crash, that copy is revised too.
   */
  async #decide(received: ReceivedOf<'tap'>): Promise<Answered | undefined> {
    const { store, recipients, taps, cardMessages, matters, database } = this.#parts
    const { incoming: tap } = received
    const answer = await taps.tap(received)
    const button = answer === undefined ? undefined : taps.button(tap.token)
    if (button?.ref === undefined || button.ref !== tap.ref) return answer
    const { ref } = button
    const item = store.get(button.item.slice(0, button.item.lastIndexOf('.')))
    const recipient = recipients.get(button.recipient)
    const ending = matters.card(button.toolUseId)?.ending
    if (item === undefined || recipient === undefined || ending === undefined || item.ref === ref) return answer
    database.atomically(() => cardMessages.revise(item, recipient, { ending, ref }))
    return answer
  }

  /**
   * Returns true if the sender is known. People who write in a group that gets messages do not try to reach JARVIS, so they do not count as
   * strangers.
   */
  #isKnown({ id }: ChannelKind, { user, chat }: Sender): boolean {
    return this.#parts.recipients.list(id).some((one) => one.user === user || (one.isGroup && one.chat === chat))
  }

  /** Announces messages of strangers to the operator, at most once an hour. */
  #noteStranger({ name }: ChannelKind): void {
    const { notes, clock } = this.#parts
    this.#strangers += 1
    if (clock.now() - this.#strangersTold < strangersEveryMs) return
    const wrote = this.#strangers === 1 ? 'A stranger wrote' : `Strangers wrote ${this.#strangers} times`
    notes.announce(`${wrote} to JARVIS over ${name}. Nobody answered.`, 'info')
    this.#strangers = 0
    this.#strangersTold = clock.now()
  }
}

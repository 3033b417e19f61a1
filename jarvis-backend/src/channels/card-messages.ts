import type { Card } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import { cardContent, type Ending, endedContent } from './cards.ts'
import type { ChannelKind } from './channel.ts'
import type { Hearers } from './hearers.ts'
import type { ChannelDirectory } from './open-channels.ts'
import { mayBeShown } from './outbox.ts'
import type { ChannelPeople, KnownCard, Matters, Transactions } from './parts.ts'
import type { Content, OutboxItem, OutboxStore, Recipient, RecipientStore } from './ports.ts'
import { noticeForMs, type Putting } from './putting.ts'
import type { Matter } from './rules.ts'
import type { Say } from './spoken.ts'

/** If a recipient gets more cards than this within a minute, one message announces the rest. */
const mostCards = 5
const cardsWithinMs = 60_000

/**
 * Returns the reason why the message of a decided card is not sent. If the channel is not idempotent, a copy that was sent but not recorded stays
 * unchanged.
 */
export const whyUnsent = ({ mayExist }: Pick<OutboxItem, 'mayExist'>, kind: ChannelKind | undefined): string =>
  `decided before it could be sent${mayExist && kind?.capabilities.isIdempotent !== true ? ': a copy that was sent as JARVIS ended says so once it is pressed' : ''}`

export type CardMessagesParts = {
  putting: Pick<Putting, 'add' | 'put'>
  store: OutboxStore
  recipients: Pick<RecipientStore, 'get'>
  directory: Pick<ChannelDirectory, 'kind' | 'mayRevise'>
  matters: Pick<Matters, 'card'>
  hearers: Pick<Hearers, 'of'>
  people: Pick<ChannelPeople, 'nameOf'>
  database: Pick<Transactions, 'atomically'>
  say: Say
  clock: Pick<Clock, 'now'>
}

/** Sends messages about cards that wait for a decision, and changes the messages of decided cards. */
export class CardMessages {
  readonly #parts: CardMessagesParts

  constructor(parts: CardMessagesParts) {
    this.#parts = parts
  }

  /** Sends each waiting card to the recipients that are notified of it. */
  tell(cards: readonly Card[]): void {
    const { matters, hearers } = this.#parts
    for (const card of cards) {
      const known = matters.card(card.toolUseId)
      if (known?.isDecided !== false) continue
      for (const one of hearers.of(card.requestedBy.person))
        if (!one.isGroup) this.#tellOf({ card, bindingHash: known.bindingHash }, one)
    }
  }

  /** Changes the message of each decided card, once. */
  settle(): void {
    const { store, recipients, directory, matters, database, clock } = this.#parts
    const at = clock.now()
    for (const item of store.openCards()) {
      const { card } = item.content
      const known = card && matters.card(card.toolUseId)
      if (card === undefined || known?.isDecided === false) continue
      const recipient = recipients.get(item.recipient)
      database.atomically(() => {
        store.settle(item.id)
        if (item.end === undefined && !item.isOpen)
          store.end(item.id, { end: 'dropped', at: at, why: whyUnsent(item, directory.kind(item.channel)) })
        if (recipient !== undefined && known?.ending !== undefined && mayBeShown(item))
          this.revise(item, recipient, { ending: known.ending })
      })
    }
  }

  /** Changes the message of a decided card. @param to `ending`: how the card ended. `ref`: the service's id of another copy of the message */
  revise(item: OutboxItem, recipient: Recipient, { ending, ref }: { ending: Ending; ref?: string }): void {
    const { directory, people, putting, say } = this.#parts
    if (!directory.mayRevise(item.channel)) return
    const { hidesNames } = recipient
    const via = ending.via === undefined ? {} : { via: directory.kind(ending.via)?.name ?? ending.via }
    const told = endedContent(item.content, { ...ending, by: people.nameOf(ending.by), ...via, hidesNames }, say)
    const content = { ...told, of: item.id, ...(ref !== undefined && { ref }) }
    const key = ref === undefined ? item.key : `${item.key}:${ref}`
    putting.add(recipient, { key, content, forMs: noticeForMs }, { act: 'revise' })
  }

  #tellOf(known: Pick<KnownCard, 'card' | 'bindingHash'>, recipient: Recipient): void {
    const { store, putting, say, clock } = this.#parts
    const { card } = known
    const at = clock.now()
    const forMs = card.expiresAt - at
    const matter: Matter = { kind: 'card', level: 'card', isAsked: ['chat', 'command'].includes(card.requestedBy.kind) }
    const key = `card:${card.toolUseId}`
    if (store.has(recipient.id, key)) return
    const told = { key, content: cardContent(known, recipient, say), forMs }
    if (store.cardsSince(recipient.id, at - cardsWithinMs) < mostCards) {
      putting.put(recipient, told, matter)
      return
    }
    const content: Content = {
      kind: 'notice',
      level: 'card',
      title: say('More calls wait for you.'),
      lines: [say('Look at them in the dashboard.')],
      path: '/waiting',
      tag: 'cards',
      asker: card.requestedBy.person,
    }
    putting.put(recipient, { key: `cards:${Math.floor(at / cardsWithinMs)}`, content, forMs }, matter)
    // The card is recorded as dropped, so that no message of its own is sent for it later.
    const why = `more than ${mostCards} in a minute: told of in one line`
    putting.add(recipient, told, { end: 'dropped', endedAt: at, why })
  }
}

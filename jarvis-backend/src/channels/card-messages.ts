import type { Card } from 'protocol'
import { cardContent, type Ending, endedContent } from './cards.ts'
import type { ChannelKind } from './channel.ts'
import type { Hearers } from './hearers.ts'
import type { ChannelDirectory } from './open-channels.ts'
import { mayBeShown } from './outbox.ts'
import type { Content, OutboxItem, OutboxStore, Recipient, RecipientStore } from './ports.ts'
import { noticeForMs, type Putting } from './putting.ts'
import type { Matter } from './rules.ts'
import type { Say } from './spoken.ts'
import type { KnownCard } from './taps.ts'

/** More cards of a recipient than this within a minute are told of in one line. */
const mostCards = 5
const cardsWithinMs = 60_000

/** Why a card that was decided is not sent. Where one id is not one message, a copy that was sent unrecorded stays as it is. */
export const whyUnsent = ({ mayExist }: Pick<OutboxItem, 'mayExist'>, kind: ChannelKind | undefined): string =>
  `decided before it could be sent${mayExist && kind?.capabilities.isIdempotent !== true ? ': a copy that was sent as JARVIS ended says so once it is pressed' : ''}`

/** Tells of cards that wait, and changes their messages once they were decided. */
export function createCardMessages(parts: {
  putting: Pick<Putting, 'add' | 'put'>
  store: OutboxStore
  recipients: Pick<RecipientStore, 'get'>
  directory: Pick<ChannelDirectory, 'kind' | 'mayRevise'>
  cardOf(toolUseId: string): (KnownCard & { ending?: Ending }) | undefined
  hearers: Pick<Hearers, 'of'>
  nameOf(person: string): string
  atomically<T>(work: () => T): T
  say: Say
  now(): number
}) {
  const { store, recipients, directory, say, now } = parts
  const { add, put } = parts.putting

  function cardTo(recipient: Recipient, card: Card, bindingHash: string) {
    const at = now()
    const forMs = card.expiresAt - at
    const matter: Matter = { kind: 'card', level: 'card', isAsked: ['chat', 'command'].includes(card.requestedBy.kind) }
    const key = `card:${card.toolUseId}`
    if (store.has(recipient.id, key)) return
    const told = cardContent(card, bindingHash, recipient, say)
    if (store.cardsSince(recipient.id, at - cardsWithinMs) >= mostCards) {
      const content: Content = {
        ...({ kind: 'notice', level: 'card', title: say('More calls wait for you.') } as const),
        lines: [say('Look at them in the dashboard.')],
        path: '/waiting',
        tag: 'cards',
        asker: card.requestedBy.person,
      }
      put(recipient, `cards:${Math.floor(at / cardsWithinMs)}`, content, matter, forMs)
      // Written down, so that the card is not told of by itself later.
      const why = `more than ${mostCards} in a minute: told of in one line`
      add(recipient, key, told, forMs, { end: 'dropped', endedAt: at, why })
      return
    }
    put(recipient, key, told, matter, forMs)
  }

  function endingOf({ content }: OutboxItem, { hidesNames }: Recipient, ending: Ending): Content {
    const via = ending.via === undefined ? {} : { via: directory.kind(ending.via)?.name ?? ending.via }
    return endedContent(content, { ...ending, by: parts.nameOf(ending.by), ...via }, hidesNames, say)
  }

  /** Changes the message of a card that was decided. @param ref of another copy of it */
  function revise(item: OutboxItem, recipient: Recipient, ending: Ending, ref?: string) {
    if (!directory.mayRevise(item.channel)) return
    const content = { ...endingOf(item, recipient, ending), of: item.id, ...(ref !== undefined && { ref }) }
    add(recipient, ref === undefined ? item.key : `${item.key}:${ref}`, content, noticeForMs, { act: 'revise' })
  }

  return {
    revise,
    /** Tells everybody who hears of them of cards that wait. */
    tell(cards: readonly Card[]) {
      for (const card of cards) {
        const known = parts.cardOf(card.toolUseId)
        if (known?.isDecided !== false) continue
        for (const one of parts.hearers.of(card.requestedBy.person))
          if (!one.isGroup) cardTo(one, card, known.bindingHash)
      }
    },
    /** Revises the messages of cards that were decided, each once. */
    settle() {
      const at = now()
      for (const item of store.openCards()) {
        const { card } = item.content
        const known = card && parts.cardOf(card.toolUseId)
        if (card === undefined || known?.isDecided === false) continue
        const recipient = recipients.get(item.recipient)
        parts.atomically(() => {
          store.settle(item.id)
          if (item.end === undefined && !item.isOpen)
            store.end(item.id, { end: 'dropped', at, why: whyUnsent(item, directory.kind(item.channel)) })
          if (recipient !== undefined && known?.ending !== undefined && mayBeShown(item))
            revise(item, recipient, known.ending)
        })
      }
    },
  }
}
export type CardMessages = ReturnType<typeof createCardMessages>

import { whyUnsent } from './card-messages.ts'
import type { Channel, Outgoing } from './channel.ts'
import type { Hearers } from './hearers.ts'
import type { ChannelDirectory } from './open-channels.ts'
import type { Attempt } from './outbox.ts'
import type { Open, OutboxItem, OutboxStore, Recipient, RecipientStore } from './ports.ts'
import type { Putting } from './putting.ts'
import type { Say } from './spoken.ts'
import type { Conversation } from './talk/conversation.ts'
import { questionKey } from './talk/messages.ts'
import type { KnownCard, Taps } from './taps.ts'

/** Makes single attempts at the outbox's messages, each as its matter stands by then. */
export function createAttempts(parts: {
  store: Pick<OutboxStore, 'get' | 'has'>
  recipients: Pick<RecipientStore, 'get'>
  directory: Pick<ChannelDirectory, 'channel' | 'kind'>
  taps: Pick<Taps, 'buttonsFor'>
  putting: Pick<Putting, 'digestLines'>
  conversation: Pick<Conversation, 'attempt'>
  cardOf(toolUseId: string): KnownCard | undefined
  hearers: Pick<Hearers, 'hears'>
  isOpen(what: Open): boolean
  durably<T>(work: () => T): T
  say: Say
  linkTo(path: string): string | undefined
  /** The service gave a group another id. */
  moved(recipient: Recipient, chat: string): void
  signal: AbortSignal
}) {
  const { store, directory, say } = parts

  function outgoing(
    { id, content, createdAt: at, expiresAt, recipient }: OutboxItem,
    buttons: Outgoing['buttons'],
    hasLink: boolean,
  ): Outgoing {
    const { level, title, path, tag = id, isOver = false } = content
    const link = hasLink ? parts.linkTo(path) : undefined
    const lines = content.kind === 'digest' ? parts.putting.digestLines(recipient, content.since ?? 0) : content.lines
    return {
      id,
      at,
      level,
      path,
      isOver,
      expiresAt,
      buttons,
      // `say` again: it removes values that became secrets since. A tag may hold a name, and browsers receive it.
      tag: say(tag),
      title: say(title),
      lines: lines.map((line) => say(line)),
      link,
    }
  }

  /** The person whose matter a message is about. A message about its recipient alone is the recipient's own matter. */
  const askerOf = ({ content: { kind, card, asker, of } }: OutboxItem, { person }: Recipient): string | undefined => {
    if (of === undefined && card !== undefined) return parts.cardOf(card.toolUseId)?.card.requestedBy.person
    return of === undefined && kind === 'notice' ? asker : person
  }

  async function sendOver(
    { deliver, revise, withdraw }: Channel,
    act: OutboxItem['act'],
    message: Outgoing,
    to: Recipient,
    ref: string | undefined,
  ): Promise<Attempt> {
    if (act === 'deliver') return deliver(message, to, parts.signal)
    const change = act === 'withdraw' && withdraw !== undefined ? withdraw : revise
    return change?.(message, to, ref, parts.signal) ?? { kind: 'dropped', why: 'the channel cannot change a message' }
  }

  return async function attempt(item: OutboxItem): Promise<Attempt> {
    const recipient = parts.recipients.get(item.recipient)
    if (recipient === undefined) return { kind: 'dropped', why: 'nobody is paired there any more' }
    if (!parts.hearers.hears(recipient, askerOf(item, recipient)))
      return { kind: 'dropped', why: 'its person hears of it no more' }
    const open = directory.channel(item.channel)
    if (open === undefined) return { kind: 'again', why: `${item.channel} is not set up` }
    const { card, of, talk, until } = item.content
    if (recipient.isGroup && (card !== undefined || talk !== undefined))
      return { kind: 'dropped', why: 'a group is told of no cards' }
    const kind = directory.kind(item.channel)
    const isStillOpen = card !== undefined && parts.cardOf(card.toolUseId)?.isDecided === false
    if (item.act === 'deliver' && card !== undefined && !isStillOpen)
      return { kind: 'dropped', why: whyUnsent(item, kind) }
    if (item.act === 'deliver' && until !== undefined && !parts.isOpen(until))
      return { kind: 'dropped', why: 'over before it could be sent' }
    if (until?.kind === 'question' && item.act === 'deliver' && store.has(recipient.id, questionKey(until.id)))
      return { kind: 'dropped', why: 'the conversation there asks it' }
    const original = of === undefined ? undefined : store.get(of)
    const ref = item.content.ref ?? original?.ref
    // Where one id is one message, a message that may have arrived unrecorded can be changed all the same.
    const isOneById = kind?.capabilities.isIdempotent === true
    const mayBeThere = original?.end === 'sent' || (isOneById && original?.mayExist === true)
    if (of !== undefined && item.content.ref === undefined && !mayBeThere)
      return { kind: 'dropped', why: 'the message that it changes was not sent' }
    if (talk !== undefined && kind !== undefined)
      return parts.conversation.attempt(item, talk, recipient, kind, open.channel, original?.ref)
    const can = kind?.capabilities ?? {}
    const buttons = item.act === 'deliver' ? parts.durably(() => parts.taps.buttonsFor(item, recipient, can)) : []
    // Not everybody in a group needs to know where the dashboard is.
    const message = outgoing({ ...item, id: of ?? item.id }, buttons, !recipient.isGroup)
    const delivery = await sendOver(open.channel, item.act, message, recipient, ref)
    if (delivery.kind === 'again' && delivery.movedTo !== undefined) parts.moved(recipient, delivery.movedTo)
    return delivery
  }
}

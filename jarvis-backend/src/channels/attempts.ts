import type { Pages } from './addresses.ts'
import { whyUnsent } from './card-messages.ts'
import type { Channel, Outgoing } from './channel.ts'
import type { Groups } from './groups.ts'
import type { Hearers } from './hearers.ts'
import type { ChannelDirectory } from './open-channels.ts'
import type { Attempt } from './outbox.ts'
import type { Matters, Transactions } from './parts.ts'
import type { OutboxItem, OutboxStore, Recipient, RecipientStore } from './ports.ts'
import type { Putting } from './putting.ts'
import type { Say } from './spoken.ts'
import type { Conversation } from './talk/conversation.ts'
import { questionKey } from './talk/messages.ts'
import type { Taps } from './taps.ts'

export type AttemptsParts = {
  store: Pick<OutboxStore, 'get' | 'has'>
  recipients: Pick<RecipientStore, 'get'>
  directory: Pick<ChannelDirectory, 'channel' | 'kind'>
  taps: Pick<Taps, 'buttonsFor'>
  putting: Pick<Putting, 'digestLines'>
  conversation: Pick<Conversation, 'attempt'>
  matters: Pick<Matters, 'card' | 'isOpen'>
  hearers: Pick<Hearers, 'hears'>
  groups: Pick<Groups, 'moved'>
  database: Pick<Transactions, 'durably'>
  say: Say
  pages: Pages
  signal: AbortSignal
}

/** Makes single attempts to send the outbox's messages. The present state of a card, question or change decides whether its message is still sent. */
export class Attempts {
  readonly #parts: AttemptsParts

  constructor(parts: AttemptsParts) {
    this.#parts = parts
  }

  async attempt(item: OutboxItem): Promise<Attempt> {
    const { store, recipients, directory, conversation, groups } = this.#parts
    const recipient = recipients.get(item.recipient)
    if (recipient === undefined) return { kind: 'dropped', why: 'nobody is paired there any more' }
    if (!this.#parts.hearers.hears(recipient, this.#askerOf(item, recipient)))
      return { kind: 'dropped', why: 'its person hears of it no more' }
    const open = directory.channel(item.channel)
    if (open === undefined) return { kind: 'again', why: `${item.channel} is not set up` }
    const why = this.#whyNot(item, recipient)
    if (why !== undefined) return { kind: 'dropped', why }
    const { of, talk } = item.content
    const kind = directory.kind(item.channel)
    const original = of === undefined ? undefined : store.get(of)
    if (talk !== undefined && kind !== undefined)
      return conversation.attempt({ item, talk, recipient, kind, channel: open.channel, original: original?.ref })
    const message = this.#outgoing(item, recipient)
    const { act } = item
    const delivery = await this.#send(open.channel, message, {
      act,
      to: recipient,
      ref: item.content.ref ?? original?.ref,
    })
    if (delivery.kind === 'again' && delivery.movedTo !== undefined) groups.moved(recipient, delivery.movedTo)
    return delivery
  }

  /** Returns the reason why a message must not be sent any more; undefined if it may be sent. */
  #whyNot(item: OutboxItem, recipient: Recipient): string | undefined {
    const { store, directory, matters } = this.#parts
    const { card, of, talk, until, ref } = item.content
    if (recipient.isGroup && (card !== undefined || talk !== undefined)) return 'a group is told of no cards'
    const kind = directory.kind(item.channel)
    if (item.act === 'deliver') {
      const isDecided = card !== undefined && matters.card(card.toolUseId)?.isDecided !== false
      if (isDecided) return whyUnsent(item, kind)
      if (until !== undefined && !matters.isOpen(until)) return 'over before it could be sent'
      if (until?.kind === 'question' && store.has(recipient.id, questionKey(until.id)))
        return 'the conversation there asks it'
    }
    const original = of === undefined ? undefined : store.get(of)
    // An idempotent channel can also change a message that was sent but not recorded.
    const isIdempotent = kind?.capabilities.isIdempotent === true
    const mayBeThere = original?.end === 'sent' || (isIdempotent && original?.mayExist === true)
    return of !== undefined && ref === undefined && !mayBeThere ? 'the message that it changes was not sent' : undefined
  }

  /** Returns the person whose matter a message is about. A message about its recipient alone, such as a test, is that person's own matter. */
  #askerOf({ content: { kind, card, asker, of } }: OutboxItem, { person }: Recipient): string | undefined {
    if (of === undefined && card !== undefined) return this.#parts.matters.card(card.toolUseId)?.card.requestedBy.person
    return of === undefined && kind === 'notice' ? asker : person
  }

  #outgoing(item: OutboxItem, recipient: Recipient): Outgoing {
    const { directory, taps, putting, database, say, pages } = this.#parts
    const { content, createdAt: at, expiresAt } = item
    const id = content.of ?? item.id
    const { level, title, path, tag = id, isOver = false } = content
    const can = directory.kind(item.channel)?.capabilities ?? {}
    const buttons = item.act === 'deliver' ? database.durably(() => taps.buttonsFor(item, recipient, can)) : []
    const lines = content.kind === 'digest' ? putting.digestLines(item.recipient, content.since ?? 0) : content.lines
    return {
      id,
      at,
      level,
      path,
      isOver,
      expiresAt,
      buttons,
      // The second `say` redacts values that became secrets after the message was stored. The tag may hold a name, and browsers receive the tag.
      tag: say(tag),
      title: say(title),
      lines: lines.map((line) => say(line)),
      // Not every member of a group needs to know the dashboard's URL.
      link: recipient.isGroup ? undefined : pages.linkTo(path),
    }
  }

  async #send(
    channel: Channel,
    message: Outgoing,
    { act, to, ref }: { act: OutboxItem['act']; to: Recipient; ref: string | undefined },
  ): Promise<Attempt> {
    const { signal } = this.#parts
    if (act === 'deliver') return channel.deliver(message, to, signal)
    const sent = { to, ref }
    const changed =
      act === 'withdraw' && channel.withdraw !== undefined
        ? channel.withdraw(message, sent, signal)
        : channel.revise?.(message, sent, signal)
    return changed ?? { kind: 'dropped', why: 'the channel cannot change a message' }
  }
}

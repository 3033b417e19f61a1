import type { Clock } from '../lib/clock.ts'
import type { ChannelDirectory } from './open-channels.ts'
import { mayBeShown } from './outbox.ts'
import type { Matters, Transactions } from './parts.ts'
import type { Content, Open, OutboxItem, OutboxStore, RecipientStore } from './ports.ts'
import { noticeForMs, type Putting } from './putting.ts'
import type { Say } from './spoken.ts'

const over: Record<Open['kind'], string> = {
  question: 'This question needs no answer any more.',
  change: 'This change was kept, or is taken back.',
}

export type OpenNoticesParts = {
  putting: Pick<Putting, 'add'>
  store: Pick<OutboxStore, 'openCards' | 'settle' | 'end'>
  recipients: Pick<RecipientStore, 'get'>
  directory: Pick<ChannelDirectory, 'channel' | 'mayRevise'>
  matters: Pick<Matters, 'isOpen'>
  database: Pick<Transactions, 'atomically'>
  say: Say
  clock: Pick<Clock, 'now'>
}

/** Takes back the messages about questions that were answered and changes that are settled. */
export class OpenNotices {
  readonly #parts: OpenNoticesParts

  constructor(parts: OpenNoticesParts) {
    this.#parts = parts
  }

  /** Takes back each message whose question or change has ended, once. */
  settle(): void {
    const { store, matters, database, clock } = this.#parts
    for (const item of store.openCards()) {
      const { until } = item.content
      if (until === undefined || matters.isOpen(until)) continue
      database.atomically(() => {
        store.settle(item.id)
        if (item.end === undefined && !item.isOpen)
          store.end(item.id, { end: 'dropped', at: clock.now(), why: 'over before it was sent' })
        if (mayBeShown(item)) this.#takeBack(item, until.kind)
      })
    }
  }

  #takeBack({ id, recipient, channel, key, content: { until: _, ...content } }: OutboxItem, kind: Open['kind']): void {
    const { recipients, directory, putting, say } = this.#parts
    const to = recipients.get(recipient)
    if (to === undefined || !directory.mayRevise(channel)) return
    const open = directory.channel(channel)?.channel
    const act = open !== undefined && open.withdraw === undefined ? 'revise' : 'withdraw'
    const ended: Content = { ...content, lines: [say(over[kind])], isOver: true, of: id }
    putting.add(to, { key, content: ended, forMs: noticeForMs }, { act })
  }
}

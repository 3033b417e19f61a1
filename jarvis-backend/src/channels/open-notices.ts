import type { ChannelDirectory } from './open-channels.ts'
import { mayBeShown } from './outbox.ts'
import type { Content, Open, OutboxItem, OutboxStore, RecipientStore } from './ports.ts'
import { noticeForMs, type Putting } from './putting.ts'
import type { Say } from './spoken.ts'

const over: Record<Open['kind'], string> = {
  question: 'This question needs no answer any more.',
  change: 'This change was kept, or is taken back.',
}

/** Takes the messages back of questions that were answered and of changes that are settled. */
export function createOpenNotices(parts: {
  putting: Pick<Putting, 'add'>
  store: Pick<OutboxStore, 'openCards' | 'settle' | 'end'>
  recipients: Pick<RecipientStore, 'get'>
  directory: Pick<ChannelDirectory, 'channel' | 'mayRevise'>
  isOpen(what: Open): boolean
  atomically<T>(work: () => T): T
  say: Say
  now(): number
}) {
  const { store, now } = parts

  function takeBack({ id, recipient, channel, key, content: { until, ...content } }: OutboxItem, kind: Open['kind']) {
    const to = parts.recipients.get(recipient)
    if (to === undefined || !parts.directory.mayRevise(channel)) return
    const open = parts.directory.channel(channel)?.channel
    const act = open !== undefined && open.withdraw === undefined ? 'revise' : 'withdraw'
    const ended: Content = { ...content, lines: [parts.say(over[kind])], isOver: true, of: id }
    parts.putting.add(to, key, ended, noticeForMs, { act })
  }

  return {
    /** Ends each message of what is over, once. */
    settle() {
      for (const item of store.openCards()) {
        const { until } = item.content
        if (until === undefined || parts.isOpen(until)) continue
        parts.atomically(() => {
          store.settle(item.id)
          if (item.end === undefined && !item.isOpen)
            store.end(item.id, { end: 'dropped', at: now(), why: 'over before it was sent' })
          if (mayBeShown(item)) takeBack(item, until.kind)
        })
      }
    },
  }
}

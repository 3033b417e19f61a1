import { type Clock, oldBefore } from '../lib/clock.ts'
import type { Delivery } from './channel.ts'
import type { OutboxItem, OutboxStore } from './ports.ts'

const firstPauseMs = 1_000
const longestPauseMs = 5 * 60_000
/** A pause that a service asks for is not kept beyond this, ms. */
const longestAskedMs = 24 * 60 * 60_000
/** Of one recipient, counted at every hundredth that is added. */
const mostWaiting = 10_000
const countEvery = 100
const keptForMs = 7 * 24 * 60 * 60_000
const mostKept = 20_000
const pruneEvery = 500
/** Pauses are longer or shorter by this share. */
const jitter = 0.2

const words = {
  stale: 'its time was over before it could be sent',
  full: `more than ${mostWaiting} waited`,
  again: 'JARVIS ended while it was being sent, so it is sent again',
  twice: 'JARVIS ended while it was being sent before, so it may be shown twice',
}

/** What came of an attempt. `dropped`: it was not made, on purpose. */
export type Attempt = Delivery | { kind: 'dropped'; why: string }

/** Whether somebody may have a message before them. */
export const mayBeShown = ({ end, isOpen, mayExist }: Pick<OutboxItem, 'end' | 'isOpen' | 'mayExist'>): boolean =>
  end === 'sent' || mayExist || (end === undefined && isOpen)

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Sends what the store holds: to each recipient in order, again after a pause that doubles from 1 s to 5 min where a service is away. What is
 * stale or too much is dropped with a line. It holds one item of each recipient in memory.
 */
export function createOutbox(parts: {
  store: OutboxStore
  clock: Clock
  /** Makes one attempt. Never rejects. */
  attempt(item: OutboxItem): Promise<Attempt>
  /** Whether the channel shows a message once that is sent twice. */
  isIdempotent(channel: string): boolean
  atomically<T>(work: () => T): T
  /** As `Database.untilFree`. */
  untilFree(forever: 'forever'): Promise<void> | undefined
  /** Told, in the transaction of the end, what became of an item. */
  ended?(item: OutboxItem, delivery: Exclude<Attempt, { kind: 'again' }>): void
  /** A line that says what was dropped. */
  announce(text: string): void
  changed(): void
  report(error: unknown, message: string): void
  /** 0..1. */
  random?(): number
}) {
  const { store, clock } = parts
  const random = parts.random ?? Math.random
  const busy = new Map<string, Promise<void>>()
  let disarm: (() => void) | undefined
  let isOver = false
  let sinceLast = 0
  let added = 0

  /** What stays with a message that was sent: why it passed, or that its recipient may have two. */
  function passed({ attempts, why, mayExist, channel }: OutboxItem): { why?: string } {
    if (mayExist && !parts.isIdempotent(channel)) return { why: words.twice }
    return attempts === 0 && why !== undefined ? { why } : {}
  }

  function pauseMs(attempts: number, retryAfterMs: number | undefined): number {
    if (retryAfterMs !== undefined) return Math.min(retryAfterMs, longestAskedMs)
    const pause = Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs)
    return Math.min(longestPauseMs, Math.round(pause * (1 + jitter * (2 * random() - 1))))
  }

  async function sendOne(item: OutboxItem): Promise<void> {
    const free = parts.untilFree('forever')
    if (free !== undefined) await free
    if (isOver) return
    parts.atomically(() => store.begin(item.id))
    const attempts = item.attempts + 1
    const delivery = await parts.attempt({ ...item, attempts, isOpen: true })
    const freeAgain = parts.untilFree('forever')
    if (freeAgain !== undefined) await freeAgain
    if (isOver) return
    const at = clock.now()
    parts.atomically(() => {
      if (delivery.kind === 'again') {
        store.again(item.id, at + pauseMs(attempts, delivery.retryAfterMs), delivery.why)
        return
      }
      if (delivery.kind === 'sent')
        store.end(item.id, 'sent', at, { ...(delivery.ref !== undefined && { ref: delivery.ref }), ...passed(item) })
      else store.end(item.id, delivery.kind === 'dropped' ? 'dropped' : 'failed', at, { why: delivery.why })
      parts.ended?.({ ...item, attempts }, delivery)
    })
    sinceLast += 1
    if (sinceLast >= pruneEvery) prune()
    parts.changed()
  }

  function prune() {
    sinceLast = 0
    store.prune(oldBefore(clock, keptForMs), mostKept)
  }

  function dropped(count: number, why: string) {
    if (count === 0) return
    parts.announce(`${count} ${count === 1 ? 'message was' : 'messages were'} not sent: ${why}.`)
    parts.changed()
  }

  /** Begins what is due. @returns when the next is, Unix ms */
  function begin(recipient: string, now: number): number | undefined {
    if (busy.has(recipient)) return undefined
    let item = store.head(recipient, now)
    if (item !== undefined && item.expiresAt <= now) {
      dropped(store.dropStale(recipient, now, words.stale), words.stale)
      item = store.head(recipient, now)
    }
    if (item === undefined) return store.soonest(recipient)
    if (item.notBefore > now) return Math.min(item.notBefore, item.expiresAt)
    const sending = sendOne(item).then(
      () => {
        busy.delete(recipient)
        look()
      },
      (error: unknown) => {
        busy.delete(recipient)
        parts.report(error, 'a message could not be sent')
        // A disk that is full is not asked again at once.
        disarm?.()
        if (!isOver) disarm = clock.after(longestPauseMs, look)
      },
    )
    busy.set(recipient, sending)
    return undefined
  }

  function look() {
    if (isOver) return
    disarm?.()
    disarm = undefined
    try {
      const now = clock.now()
      const due = store.recipients().flatMap((recipient) => begin(recipient, now) ?? [])
      if (due.length > 0) disarm = clock.after(Math.max(1, Math.min(...due) - now), look)
    } catch (error) {
      parts.report(error, 'the outbox could not be read')
      disarm = clock.after(longestPauseMs, look)
    }
  }

  return {
    /** Adds a message, within the caller's transaction where one is open. Call `look` after it. @returns false where it was there before */
    add(
      item: Omit<OutboxItem, 'seq' | 'attempts' | 'isOpen' | 'mayExist' | 'notBefore'> & { notBefore?: number },
    ): boolean {
      const isNew = store.add({ notBefore: item.createdAt, ...item })
      if (isNew) added += 1
      if (isNew && added % countEvery === 0)
        dropped(store.dropOldest(item.recipient, mostWaiting, clock.now(), words.full), words.full)
      return isNew
    },
    /** Sends what is due. */
    look,
    /** Takes over what the last process left. */
    resume() {
      store.reopen(words.again)
      prune()
      look()
    },
    /** Makes no further attempt. @returns once none runs */
    async stop() {
      isOver = true
      disarm?.()
      await Promise.all(busy.values())
    },
  }
}

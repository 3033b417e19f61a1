import { type Clock, oldBefore } from '../lib/clock.ts'
import type { Delivery } from './channel.ts'
import type { Notes, Transactions } from './parts.ts'
import type { OutboxItem, OutboxStore } from './ports.ts'

const firstPauseMs = 1_000
const longestPauseMs = 5 * 60_000
/** The longest pause that a service can ask for, ms. */
const longestAskedMs = 24 * 60 * 60_000
/** The most messages that wait for one recipient. They are counted at every hundredth message that is added. */
const mostWaiting = 10_000
const countEvery = 100
const keptForMs = 7 * 24 * 60 * 60_000
const mostKept = 20_000
const pruneEvery = 500
/** Each pause is randomly longer or shorter by up to this share. */
const jitter = 0.2

const words = {
  stale: 'its time was over before it could be sent',
  full: `more than ${mostWaiting} waited`,
  again: 'JARVIS ended while it was being sent, so it is sent again',
  twice: 'JARVIS ended while it was being sent before, so it may be shown twice',
}

/** The outcome of an attempt. `dropped`: the message was left out on purpose. */
export type Attempt = Delivery | { kind: 'dropped'; why: string }

/** Returns true if a person may see the message: it was sent, or an attempt was begun and its outcome is not known. */
export const mayBeShown = ({ end, isOpen, mayExist }: Pick<OutboxItem, 'end' | 'isOpen' | 'mayExist'>): boolean =>
  end === 'sent' || mayExist || (end === undefined && isOpen)

/** Sends the messages of the outbox. */
export interface OutboxSender {
  /** Makes one attempt to send an item. Never rejects. */
  attempt(item: OutboxItem): Promise<Attempt>
  /** Returns true if the channel shows a message that is sent twice only once. */
  isIdempotent(channel: string): boolean
  /** Called when an item ends, in the transaction that stores its end. */
  ended(item: OutboxItem, delivery: Exclude<Attempt, { kind: 'again' }>): void
}

export type OutboxParts = {
  store: OutboxStore
  sender: OutboxSender
  database: Pick<Transactions, 'atomically' | 'untilFree'>
  /** `announce` tells the operator of messages that were dropped. */
  notes: Pick<Notes, 'announce' | 'changed' | 'report'>
  clock: Clock
  /** 0..1. Default: `Math.random`. */
  random?(): number
}

/** A new message. `notBefore` is `createdAt` by default. */
export type NewOutboxItem = Omit<OutboxItem, 'seq' | 'attempts' | 'isOpen' | 'mayExist' | 'notBefore'> & {
  notBefore?: number
}

/**
 * Sends the messages of the store, to each recipient in order. If a service cannot be reached, the outbox tries again after a pause that
 * doubles from 1 s to 5 min. It drops messages that are too old or too many, and tells the operator. It holds one item of each recipient in memory.
 */
export class Outbox {
  readonly #parts: OutboxParts
  readonly #store: OutboxStore
  readonly #clock: Clock
  /** The running attempt of each recipient. */
  readonly #busy = new Map<string, Promise<void>>()
  #disarm: (() => void) | undefined
  #isOver = false
  #sincePrune = 0
  #added = 0

  constructor(parts: OutboxParts) {
    this.#parts = parts
    this.#store = parts.store
    this.#clock = parts.clock
  }

  /** Adds a message, within the caller's transaction if one is open. Call `look` after it. @returns false if the store has it already */
  add(item: NewOutboxItem): boolean {
    const isNew = this.#store.add({ notBefore: item.createdAt, ...item })
    if (isNew) this.#added += 1
    if (isNew && this.#added % countEvery === 0) {
      const count = this.#store.dropOldest(item.recipient, mostWaiting, { at: this.#clock.now(), why: words.full })
      this.#announceDropped(count, words.full)
    }
    return isNew
  }

  /** Sends the messages that are due, and sets a timer for the next one. */
  look(): void {
    if (this.#isOver) return
    this.#disarm?.()
    this.#disarm = undefined
    try {
      const now = this.#clock.now()
      const due = this.#store.recipients().flatMap((recipient) => this.#begin(recipient, now) ?? [])
      if (due.length > 0) this.#lookAfter(Math.max(1, Math.min(...due) - now))
    } catch (error) {
      this.#parts.notes.report(error, 'the outbox could not be read')
      this.#lookAfter(longestPauseMs)
    }
  }

  /** Takes over the messages that the last process left. */
  resume(): void {
    this.#store.reopen(words.again)
    this.#prune()
    this.look()
  }

  /** Makes no further attempt. @returns a promise that resolves when no attempt runs */
  async stop(): Promise<void> {
    this.#isOver = true
    this.#disarm?.()
    await Promise.all(this.#busy.values())
  }

  #lookAfter(ms: number): void {
    this.#disarm = this.#clock.after(ms, () => this.look())
  }

  /** Begins the attempt that is due for a recipient. @returns the time when the next attempt is due, Unix ms */
  #begin(recipient: string, now: number): number | undefined {
    if (this.#busy.has(recipient)) return undefined
    let item = this.#store.head(recipient, now)
    if (item !== undefined && item.expiresAt <= now) {
      this.#announceDropped(this.#store.dropStale(recipient, now, words.stale), words.stale)
      item = this.#store.head(recipient, now)
    }
    if (item === undefined) return this.#store.soonest(recipient)
    if (item.notBefore > now) return Math.min(item.notBefore, item.expiresAt)
    const sending = this.#send(item).then(
      () => {
        this.#busy.delete(recipient)
        this.look()
      },
      (error: unknown) => {
        this.#busy.delete(recipient)
        this.#parts.notes.report(error, 'a message could not be sent')
        // The disk may be full: wait before the next write.
        this.#disarm?.()
        if (!this.#isOver) this.#lookAfter(longestPauseMs)
      },
    )
    this.#busy.set(recipient, sending)
    return undefined
  }

  async #send(item: OutboxItem): Promise<void> {
    const free = this.#parts.database.untilFree('forever')
    if (free !== undefined) await free
    if (this.#isOver) return
    this.#parts.database.atomically(() => this.#store.begin(item.id))
    const attempts = item.attempts + 1
    const delivery = await this.#parts.sender.attempt({ ...item, attempts, isOpen: true })
    const freeAgain = this.#parts.database.untilFree('forever')
    if (freeAgain !== undefined) await freeAgain
    if (this.#isOver) return
    this.#parts.database.atomically(() => this.#end(item, attempts, delivery))
    this.#sincePrune += 1
    if (this.#sincePrune >= pruneEvery) this.#prune()
    this.#parts.notes.changed()
  }

  /** Stores the outcome of an attempt. Call it in a transaction. */
  #end(item: OutboxItem, attempts: number, delivery: Attempt): void {
    const at = this.#clock.now()
    if (delivery.kind === 'again') {
      this.#store.again(item.id, at + this.#pauseMs(attempts, delivery.retryAfterMs), delivery.why)
      return
    }
    if (delivery.kind === 'sent') {
      const ref = delivery.ref === undefined ? {} : { ref: delivery.ref }
      this.#store.end(item.id, { end: 'sent', at: at, ...ref, ...this.#noteOf(item) })
    } else this.#store.end(item.id, { end: delivery.kind === 'dropped' ? 'dropped' : 'failed', at, why: delivery.why })
    this.#parts.sender.ended({ ...item, attempts }, delivery)
  }

  /**
   * Returns the note that is kept with a sent message: the reason why the rules let it pass, or the warning that its recipient may have two copies.
   */
  #noteOf({ attempts, why, mayExist, channel }: OutboxItem): { why?: string } {
    if (mayExist && !this.#parts.sender.isIdempotent(channel)) return { why: words.twice }
    return attempts === 0 && why !== undefined ? { why } : {}
  }

  #pauseMs(attempts: number, retryAfterMs: number | undefined): number {
    if (retryAfterMs !== undefined) return Math.min(retryAfterMs, longestAskedMs)
    const random = (this.#parts.random ?? Math.random)()
    const pause = Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs)
    return Math.min(longestPauseMs, Math.round(pause * (1 + jitter * (2 * random - 1))))
  }

  #prune(): void {
    this.#sincePrune = 0
    this.#store.prune(oldBefore(this.#clock, keptForMs), mostKept)
  }

  #announceDropped(count: number, why: string): void {
    if (count === 0) return
    const were = count === 1 ? 'message was' : 'messages were'
    this.#parts.notes.announce(`${count} ${were} not sent: ${why}.`, 'warning')
    this.#parts.notes.changed()
  }
}

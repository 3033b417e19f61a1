import type { Clock } from '../lib/clock.ts'
import type { MemoryStore } from './ports.ts'

/** Maximum number of conversations' texts that are embedded per minute while somebody searches; about 5 s of CPU. */
const readPerMinute = 300
const minuteMs = 60_000
/** A search waits for at most this many texts; that covers an ordinary day's conversations. */
const soonTexts = 12

/**
 * The texts of conversations that have no embedding yet. They get one when somebody searches, newest first: an embedding costs
 * more than the conversation did, and most conversations are never searched.
 */
export class WaitingTexts {
  readonly #store: Pick<MemoryStore, 'waiting' | 'countWaiting'>
  readonly #clock: Pick<Clock, 'now'>
  #counted: number | undefined
  #isWanted = false
  /** `left`: how many more texts may be embedded until `endsAt`, Unix ms. */
  #minute = { endsAt: 0, left: 0 }

  constructor(store: Pick<MemoryStore, 'waiting' | 'countWaiting'>, clock: Pick<Clock, 'now'>) {
    this.#store = store
    this.#clock = clock
  }

  count(): number {
    this.#counted ??= this.#store.countWaiting()
    return this.#counted
  }

  /** Forgets the count: texts came, went or were embedded. */
  changed(): void {
    this.#counted = undefined
  }

  /**
   * Requests embeddings for the waiting texts, if any wait and this minute's quota is not used up.
   * @returns `isNew`: true for the first request since the last batch, so the caller starts embedding; `isSoon`: true if so few texts wait that the
   * search can wait for their embeddings
   */
  want(): { isNew: boolean; isSoon: boolean } {
    const texts = this.count()
    const now = this.#clock.now()
    if (now >= this.#minute.endsAt) this.#minute = { endsAt: now + minuteMs, left: readPerMinute }
    if (texts === 0 || this.#minute.left === 0) return { isNew: false, isSoon: false }
    // `isNew` is true only once. Otherwise a page that searches again after each change of the index would cause work without end.
    const isNew = !this.#isWanted
    this.#isWanted = true
    return { isNew, isSoon: texts <= soonTexts }
  }

  /** @returns a function that returns the next `size` texts of this minute, and none after the last; undefined if no search needs them */
  batches(size: number): (() => { hash: Buffer; text: string }[]) | undefined {
    if (!this.#isWanted) return undefined
    const due = this.#store.waiting(this.#minute.left)
    return () => {
      const some = due.splice(0, size)
      this.#minute.left -= some.length
      return some
    }
  }

  /** Records that the texts of this minute are embedded. */
  satisfied(): void {
    this.#isWanted = false
  }
}

import type { Clock } from '../lib/clock.ts'
import type { MemoryStore } from './ports.ts'

/** Texts of conversations that are embedded per minute while somebody searches; about 5 s of CPU. */
const readPerMinute = 300
const minuteMs = 60_000
/** A search waits for at most this many texts; that covers an ordinary day's conversations. */
const soonTexts = 12

/**
 * The texts of conversations that have no embedding yet. They get one when somebody searches, newest first: an embedding costs
 * more than the conversation did, and most conversations are never searched.
 */
export function createWaitingTexts(store: Pick<MemoryStore, 'waiting' | 'countWaiting'>, clock: Pick<Clock, 'now'>) {
  let counted: number | undefined
  let isWanted = false
  /** `left`: how many more texts may be embedded until `endsAt`. */
  let minute = { endsAt: 0, left: 0 }

  function count(): number {
    counted ??= store.countWaiting()
    return counted
  }

  return {
    count,
    /** Texts came, went or were embedded. */
    changed(): void {
      counted = undefined
    },
    /**
     * A search wants the texts.
     * @returns `isNew`: no search wanted them before, so their embedding is to be begun; `isSoon`: they are so few that the search may wait
     */
    want(): { isNew: boolean; isSoon: boolean } {
      const texts = count()
      if (clock.now() >= minute.endsAt) minute = { endsAt: clock.now() + minuteMs, left: readPerMinute }
      if (texts === 0 || minute.left === 0) return { isNew: false, isSoon: false }
      // Only once: a page that searches again after each change would otherwise never stop.
      const isNew = !isWanted
      isWanted = true
      return { isNew, isSoon: texts <= soonTexts }
    },
    /** @returns a function that gives the next `size` texts of this minute, none at the end; undefined where no search wants them */
    batches(size: number): (() => { hash: Buffer; text: string }[]) | undefined {
      if (!isWanted) return undefined
      const due = store.waiting(minute.left)
      return () => {
        const some = due.splice(0, size)
        minute.left -= some.length
        return some
      }
    },
    /** The texts of this minute are embedded. */
    satisfied(): void {
      isWanted = false
    },
  }
}

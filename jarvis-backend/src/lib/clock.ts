import type { Clock as PlainClock } from 'node-kit/clock'

export { sleep, systemClock } from 'node-kit/clock'

/** The time for the code, Unix ms; tests use clocks of their own. */
export type Clock = PlainClock & {
  /** ms from anywhere, which nobody sets; absent: the process's own. */
  monotonic?(): number
  /** The time by which what is old may be deleted, Unix ms, see `believed-clock.ts`; absent: `now`. */
  believed?(): number
}

/** Before this, Unix ms, what is kept for `keptMs` may be deleted. */
export const oldBefore = (clock: Pick<Clock, 'now' | 'believed'>, keptMs: number): number =>
  (clock.believed ?? clock.now)() - keptMs

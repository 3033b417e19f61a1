import type { Clock as PlainClock } from 'node-kit/clock'

/** The clock that code uses, Unix ms; tests pass clocks of their own. */
export type Clock = PlainClock & {
  /** Returns a monotonic time in ms that nobody can set; its start is arbitrary. Undefined: the process’s own clock is used. */
  monotonic?(): number
  /** Returns the time for deciding which old data may be deleted, Unix ms, see `believed-clock.ts`. Undefined: `now` is used. */
  believed?(): number
}

/** Returns a time, Unix ms. Data that is kept for `keptMs` may be deleted if it is older. */
export const oldBefore = (clock: Pick<Clock, 'now' | 'believed'>, keptMs: number): number =>
  (clock.believed ?? clock.now)() - keptMs

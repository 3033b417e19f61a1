import type { Clock } from './clock.ts'

/** The largest setback of the clock that is not reported, ms. The steady clock then only waits until its time is reached again. */
const toleratedMs = 5_000

/**
 * A clock that never goes back by itself, so that a time limit that has passed stays passed. If the system clock is set back, this clock stands
 * still. If it was set back by more than `toleratedMs`, the caller must end everything whose time had passed by then, and then call `follow`.
 */
export type SteadyClock = Clock & {
  monotonic(): number
  /**
   * Returns the time that was reached before the system clock was set back, plus the time passed since, Unix ms; undefined unless it was set back by
   * more than `toleratedMs`.
   */
  reached(): number | undefined
  /** Continues from the present time of the system clock. */
  follow(): void
}

/** Creates the clock. @param monotonic a monotonic clock in ms that nobody can set; its start is arbitrary */
export function createSteadyClock(clock: Clock, monotonic = clock.monotonic ?? (() => performance.now())): SteadyClock {
  let latest = clock.now()
  let seenAt = monotonic()
  function follow() {
    latest = clock.now()
    seenAt = monotonic()
  }
  return {
    now() {
      if (clock.now() >= latest) follow()
      return latest
    },
    after: (ms, run) => clock.after(ms, run),
    monotonic,
    reached: () => (clock.now() < latest - toleratedMs ? latest + Math.max(0, monotonic() - seenAt) : undefined),
    follow,
  }
}

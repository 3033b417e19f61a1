import type { Clock } from './clock.ts'

/** How far a clock may be set back and is waited for, ms. */
const toleratedMs = 5_000

/**
 * A clock that does not go back by itself: what has ended stays ended. Where the time was set back further than seconds, it stands still until
 * whoever ends what had ended by then calls `follow`.
 */
export type SteadyClock = Clock & {
  monotonic(): number
  /** The time that was reached, where the clock was set back since; else undefined. Unix ms. */
  reached(): number | undefined
  /** Goes by the clock again, as it stands now. */
  follow(): void
}

/** @param monotonic ms from anywhere, which nobody sets */
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

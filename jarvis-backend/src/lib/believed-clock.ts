/** A clock that leaps ahead by more than this is not believed at once, ms: nothing that is kept for months may go by it. */
const believableMs = 30 * 24 * 60 * 60_000
/** How long a leap must stand until it is believed, ms of this process. */
const standsMs = 24 * 60 * 60_000

/** The time by which what is old may be deleted. */
export type BelievedClock = {
  /** Unix ms. Behind the clock while that has leapt further than a process can have stood. */
  now(): number
  /** From where and how far the clock leapt, Unix ms, while that is not believed; else undefined. */
  leapt(): { from: number; to: number } | undefined
}

/**
 * @param newest the newest time that was believed before this process, Unix ms; undefined: none is known
 * @param monotonic ms from anywhere, which nobody sets
 */
export function createBelievedClock(parts: {
  now(): number
  monotonic(): number
  newest: number | undefined
}): BelievedClock {
  const { monotonic } = parts
  let believed = parts.newest ?? parts.now()
  let seenAt = monotonic()
  let leaptAt: number | undefined
  function now(): number {
    const at = monotonic()
    const wall = parts.now()
    const expected = believed + (at - seenAt)
    const isLeap = wall - expected > believableMs
    if (isLeap) leaptAt ??= at
    if (leaptAt !== undefined && isLeap && at - leaptAt < standsMs) return expected
    leaptAt = undefined
    believed = wall
    seenAt = at
    return wall
  }
  return {
    now,
    leapt() {
      const from = now()
      return leaptAt === undefined ? undefined : { from, to: parts.now() }
    },
  }
}

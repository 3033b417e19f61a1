/**
 * The largest jump ahead of the system clock that is accepted at once, ms. After a larger jump, data that is kept for months must not be deleted
 * yet.
 */
const believableMs = 30 * 24 * 60 * 60_000
/** The time for which a larger jump must last until it is accepted, ms, measured with this process’s monotonic clock. */
const standsMs = 24 * 60 * 60_000

/** A clock for deciding which old data may be deleted. */
export type BelievedClock = {
  /** Returns the time, Unix ms. While a jump of the system clock is not accepted, the time continues from before the jump. */
  now(): number
  /** Returns the accepted time (`from`) and the system clock’s time (`to`), Unix ms, while a jump is not accepted; otherwise undefined. */
  leapt(): { from: number; to: number } | undefined
}

/**
 * Creates the clock.
 * @param newest the newest accepted time of earlier processes, Unix ms; undefined: not known
 * @param monotonic a monotonic clock in ms that nobody can set; its start is arbitrary
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

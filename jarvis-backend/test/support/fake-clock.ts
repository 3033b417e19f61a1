import { systemClock } from 'node-kit/clock'
import type { Clock } from '../../src/lib/clock.ts'

export type FakeClock = Clock & {
  /** Moves time on, running due timers in order; what they resolve goes on before the next. */
  advance(ms: number): Promise<void>
  /** Timers set and neither run nor cancelled. */
  pending(): number
}

/** Noon of today, in ms: near enough to now for tokens, and hours away from what a house does at night, such as its restore drill at 01:30. */
export const noon = (): number => new Date().setHours(12, 0, 0, 0)

/** Time that stands still until a test moves it. */
export function createFakeClock(startMs: number): FakeClock {
  let now = startMs
  let made = 0
  const timers = new Map<number, { at: number; run: () => void }>()

  const nextDue = (until: number) =>
    [...timers].filter(([, { at }]) => at <= until).sort(([a, first], [b, second]) => first.at - second.at || a - b)[0]

  return {
    now: () => now,
    monotonic: () => now,
    after(ms, run) {
      made += 1
      const id = made
      timers.set(id, { at: now + Math.max(0, ms), run })
      return () => timers.delete(id)
    },
    async advance(ms) {
      const until = now + ms
      await settle()
      for (let due = nextDue(until); due !== undefined; due = nextDue(until)) {
        const [id, { at, run }] = due
        timers.delete(id)
        now = at
        run()
        await settle()
      }
      now = until
    },
    pending: () => timers.size,
  }
}

/** A turn of the event loop: every promise that can go on has gone on. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The real clock, that a test can put forward: timers go on as they were. */
export function createSkippingClock() {
  let skippedMs = 0
  return {
    ...systemClock,
    now: () => Date.now() + skippedMs,
    skip: (ms: number) => {
      skippedMs += ms
    },
  }
}

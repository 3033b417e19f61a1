import type { Clock } from '../lib/clock.ts'

/** Calls `over` once `ms` have passed, without the time that was spent in `paused`. */
export function createLimit(clock: Clock, ms: number, over: () => void) {
  let leftMs = ms
  let pauses = 0
  let since = clock.now()
  let disarm = clock.after(leftMs, over)
  let hasEnded = false

  return {
    async paused<T>(work: () => Promise<T>): Promise<T> {
      if (pauses === 0) {
        disarm()
        leftMs -= clock.now() - since
      }
      pauses += 1
      try {
        return await work()
      } finally {
        pauses -= 1
        if (pauses === 0 && !hasEnded) {
          since = clock.now()
          disarm = clock.after(Math.max(0, leftMs), over)
        }
      }
    },
    end() {
      hasEnded = true
      disarm()
    },
  }
}

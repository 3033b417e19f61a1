import type { Clock } from '../../src/lib/clock.ts'

/** Real time that runs `speed` times as fast, for scenery on both sides of a connection. */
export const quickClock = (speed: number): Clock => ({
  now: () => Date.now() * speed,
  after(ms, run) {
    const timer = setTimeout(run, ms / speed)
    return () => clearTimeout(timer)
  },
})

/** Does something each `ms` beside the test, such as what a slow peer sends. @returns what ends it */
export function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms)
  return () => clearInterval(timer)
}

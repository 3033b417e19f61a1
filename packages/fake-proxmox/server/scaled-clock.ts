import type { Clock } from 'node-kit/clock'

/**
 * The time of a clock that runs `speed` times as fast as real time, counted from `anchor` (Unix ms). The client and its cluster use the same clock.
 */
export const scaledNow = (anchor: number, speed: number): number => Math.floor(anchor + (Date.now() - anchor) * speed)

export const scaledClock = (anchor: number, speed: number): Clock => ({
  now: () => scaledNow(anchor, speed),
  after(ms, run) {
    const timer = setTimeout(run, Math.max(0, ms) / speed)
    return () => clearTimeout(timer)
  },
})

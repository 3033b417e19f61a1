import type { Clock } from 'node-kit/clock'

/** Real time that runs `speed` times as fast, counted from `anchor` (Unix ms): the same for the client and its cluster. */
export const scaledNow = (anchor: number, speed: number): number => Math.floor(anchor + (Date.now() - anchor) * speed)

export const scaledClock = (anchor: number, speed: number): Clock => ({
  now: () => scaledNow(anchor, speed),
  after(ms, run) {
    const timer = setTimeout(run, Math.max(0, ms) / speed)
    return () => clearTimeout(timer)
  },
})

import { performance } from 'node:perf_hooks'
import type { Clock } from '../../src/lib/clock.ts'

/** Time jumps after so many looks in a row between which this process slept for so long, ms: what is under way here would have woken it. */
const looksAsleep = 2
const sleptMs = 0.5

/**
 * Time for both sides of a connection, which are in this process: it stands while either works, however slow the machine is, and jumps to
 * the next timer when both wait. For nothing that a thread or another program works at meanwhile: that looks like waiting.
 */
export function createJumpingClock(startMs = Date.now()): Clock {
  let now = startMs
  let made = 0
  let looking: NodeJS.Timeout | undefined
  let asleep = 0
  const timers = new Map<number, { at: number; run: () => void }>()

  function jump() {
    const [next] = [...timers].sort(([a, first], [b, second]) => first.at - second.at || a - b)
    if (next === undefined) return
    const [id, { at, run }] = next
    timers.delete(id)
    now = Math.max(now, at)
    run()
  }
  function look() {
    if (looking !== undefined || timers.size === 0) return
    const since = performance.eventLoopUtilization()
    looking = setTimeout(() => {
      looking = undefined
      asleep = performance.eventLoopUtilization(since).idle >= sleptMs ? asleep + 1 : 0
      if (asleep >= looksAsleep) {
        asleep = 0
        jump()
      }
      look()
    }, 1)
  }

  return {
    now: () => now,
    after(ms, run) {
      made += 1
      const id = made
      timers.set(id, { at: now + Math.max(0, ms), run })
      look()
      return () => void timers.delete(id)
    },
  }
}

import { readFileSync } from 'node:fs'

/**
 * Preloaded into a measured server: for how long its main thread was at work without letting others run. A timer that comes
 * late says little on a busy machine, so the thread's own time on a processor is counted, as the kernel keeps it.
 */
export type Held = {
  /** The longest stretch of work between two turns of the loop, and the 99th of a hundred. */
  mostMs: number
  p99Ms: number
  /** The most by which a timer came late, waiting for a processor included. */
  lateMs: number
  turns: number
}

const everyMs = 2
const atWorkMs = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
let stretches: number[] = []
let lateMs = 0
let worked = atWorkMs()
let at = performance.now()

setInterval(() => {
  const [workedNow, now] = [atWorkMs(), performance.now()]
  stretches.push(workedNow - worked)
  lateMs = Math.max(lateMs, now - at - everyMs)
  worked = workedNow
  at = now
}, everyMs).unref()

process.on('message', () => {
  stretches.sort((one, other) => one - other)
  const [mostMs = 0, p99Ms = 0] = [stretches.at(-1), stretches[Math.floor(stretches.length * 0.99)]]
  process.send?.({ mostMs, p99Ms, lateMs, turns: stretches.length } satisfies Held)
  stretches = []
  lateMs = 0
})
process.on('disconnect', () => process.exit())

import type { PveReader } from '../homelab/ports.ts'
import { type Clock, sleep } from '../lib/clock.ts'

/**
 * A reader for one sweep. Requests run one after another with a pause of `pauseMs`, and at least one turn of the event loop: the demo answers from
 * memory, and a whole sweep in one turn would hold up a live answer. Each path is requested once, even if the request failed.
 */
export function pacedReader(api: PveReader, clock: Clock, pauseMs: number): PveReader {
  const known = new Map<string, Promise<unknown>>()
  let turn: Promise<unknown> = Promise.resolve()
  return {
    get(path, query, ask) {
      const key = JSON.stringify([path, query])
      const before = known.get(key)
      if (before !== undefined) return before
      const answer = turn.then(() => {
        ask.signal.throwIfAborted()
        return api.get(path, query, ask)
      })
      const pause = () =>
        pauseMs === 0 ? new Promise(setImmediate) : sleep(clock, pauseMs, ask.signal).catch(() => {})
      turn = answer.then(pause, pause)
      known.set(key, answer)
      return answer
    },
  }
}

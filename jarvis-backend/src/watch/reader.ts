import type { PveReader } from 'homelab-ports/ports'
import { sleep } from 'node-kit/clock'
import type { Clock } from '../lib/clock.ts'

/**
 * A reader for one round of checks. Requests run one after another. Each path is requested once, even if the request failed.
 * @param pauseMs the pause between two requests; 0: one turn of the event loop, because the demo answers from memory, and a whole sweep in one turn
 * would hold up a live answer; undefined: no pause
 */
export function pacedReader(api: PveReader, clock: Clock, pauseMs?: number): PveReader {
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
      const pause = () => {
        if (pauseMs === undefined) return undefined
        return pauseMs === 0 ? new Promise(setImmediate) : sleep(clock, pauseMs, ask.signal).catch(() => {})
      }
      turn = answer.then(pause, pause)
      known.set(key, answer)
      return answer
    },
  }
}

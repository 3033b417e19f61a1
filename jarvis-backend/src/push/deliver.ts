import type { Clock } from '../lib/clock.ts'
import type { Delivery } from './ports.ts'

const firstPauseMs = 2_000
const longestPauseMs = 5 * 60_000

export type Attempts = {
  /** Starts no further attempt. One that is under way goes on. */
  cancel(): void
  /** Resolves once no attempt is under way and none will follow, with the last outcome; `undefined` where none was made. Never rejects. */
  done: Promise<Delivery | undefined>
}

/**
 * Sends one message until the push service takes it or refuses it for good, or `untilMs` (Unix ms) has passed. The pause
 * between two attempts doubles from 2 s to 5 min; a longer pause that the service names is kept.
 * @param send one attempt; never rejects
 */
export function deliver(send: () => Promise<Delivery>, untilMs: number, clock: Clock): Attempts {
  let isCancelled = false
  let endPause: (() => void) | undefined

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const forget = clock.after(ms, resolve)
      endPause = () => {
        forget()
        resolve()
      }
    })

  async function run(): Promise<Delivery | undefined> {
    let last: Delivery | undefined
    for (let pauseMs = firstPauseMs; !isCancelled; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      last = await send()
      if (last.kind !== 'busy') return last
      const waitMs = Math.max(pauseMs, last.retryAfterMs ?? 0)
      if (clock.now() + waitMs >= untilMs) return last
      if (!isCancelled) await pause(waitMs)
    }
    return last
  }

  return {
    cancel() {
      isCancelled = true
      endPause?.()
    },
    done: run(),
  }
}

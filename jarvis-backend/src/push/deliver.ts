import type { Clock } from '../lib/clock.ts'
import type { Delivery } from './ports.ts'

const firstPauseMs = 2_000
const longestPauseMs = 5 * 60_000

export type Attempts = {
  /** Starts no further attempt. A running one goes on. */
  cancel(): void
  /** Resolves with the last outcome once no attempt runs or will follow; `undefined` where none was made. Never rejects. */
  done: Promise<Delivery | undefined>
}

/**
 * Sends a message until the push service accepts it or refuses it for good, or until `untilMs` (Unix ms). The pause between attempts
 * doubles from 2 s to 5 min; a longer pause that the service asks for is kept.
 * @param send makes one attempt; never rejects
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

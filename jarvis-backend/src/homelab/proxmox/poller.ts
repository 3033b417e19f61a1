import { setMaxListeners } from 'node:events'
import type { Clock } from '../../lib/clock.ts'

export type Poller = {
  /** Waits for a read that begins now or later. Concurrent callers share that read. Rejects only with the signal's reason. */
  refresh(signal: AbortSignal): Promise<void>
  /** Call it when the result of `everyMs()` has changed. */
  paceChanged(): void
  close(): void
}

/** Reads the cluster at once and then every `everyMs()`. All reads of the cluster go through this poller. `look` must never reject. */
export function createPoller(
  clock: Clock,
  look: (signal: AbortSignal) => Promise<void>,
  everyMs: () => number,
): Poller {
  const ending = new AbortController()
  // Turn off Node's warning about many listeners: each running request adds one.
  setMaxListeners(0, ending.signal)
  let lookedAt = Number.NEGATIVE_INFINITY
  let going: Promise<void> | undefined
  let next: Promise<void> | undefined
  let cancel: (() => void) | undefined

  function begin(): Promise<void> {
    cancel?.()
    lookedAt = clock.now()
    going = look(ending.signal).finally(() => {
      going = undefined
      schedule()
    })
    return going
  }
  function schedule() {
    cancel?.()
    if (ending.signal.aborted || going !== undefined) return
    const waitMs = Math.max(0, lookedAt + everyMs() - clock.now())
    cancel = clock.after(waitMs, () => void begin())
  }
  function shared(): Promise<void> {
    if (going === undefined) return begin()
    // The running read may have begun before the change that the caller wants to see, so a second read follows it.
    next ??= going.then(() => {
      next = undefined
      return ending.signal.aborted ? undefined : begin()
    })
    return next
  }
  void begin()

  return {
    refresh: (signal) => orAborted(shared(), signal),
    paceChanged: schedule,
    close() {
      ending.abort(new Error('closed'))
      cancel?.()
    },
  }
}

/** Settles like the promise, or rejects with the signal's reason as soon as the signal aborts. The work itself goes on. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) {
      onAbort()
      return
    }
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** The time for the code, Unix ms; tests use clocks of their own. */
export type Clock = {
  now(): number
  /** Calls `run` after `ms`. @returns a function that prevents it. */
  after(ms: number, run: () => void): () => void
  /** ms from anywhere, which nobody sets; absent: the process's own. */
  monotonic?(): number
  /** The time by which what is old may be deleted, Unix ms, see `believed-clock.ts`; absent: `now`. */
  believed?(): number
}

/** Before this, Unix ms, what is kept for `keptMs` may be deleted. */
export const oldBefore = (clock: Pick<Clock, 'now' | 'believed'>, keptMs: number): number =>
  (clock.believed ?? clock.now)() - keptMs

export const systemClock: Clock = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const onAbort = () => {
      cancel()
      reject(signal.reason)
    }
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

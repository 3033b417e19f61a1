import { useSyncExternalStore } from 'react'

type Ticker = { subscribe: (listener: () => void) => () => void; get: () => number }

const tickers = new Map<number, Ticker>()

function makeTicker(everyMs: number): Ticker {
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setInterval> | undefined
  let now = Date.now()
  const tick = () => {
    now = Date.now()
    for (const tell of listeners) tell()
  }
  return {
    get: () => now,
    subscribe(listener) {
      listeners.add(listener)
      if (timer === undefined) {
        timer = setInterval(tick, everyMs)
        now = Date.now()
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}

/** Returns the current time, Unix ms, updated every `everyMs`. All callers with the same `everyMs` share one timer. */
export function useNow(everyMs = 1_000): number {
  const known = tickers.get(everyMs)
  const ticker = known ?? makeTicker(everyMs)
  if (known === undefined) tickers.set(everyMs, ticker)
  return useSyncExternalStore(ticker.subscribe, ticker.get)
}

import { useSyncExternalStore } from 'react'

type Ticker = { listeners: Set<() => void>; timer?: ReturnType<typeof setInterval>; now: number }

const tickers = new Map<number, Ticker>()

function ticker(everyMs: number): Ticker {
  const known = tickers.get(everyMs)
  if (known !== undefined) return known
  const made: Ticker = { listeners: new Set(), now: Date.now() }
  tickers.set(everyMs, made)
  return made
}

/** Unix ms, renewed every `everyMs`; one timer serves all who ask for the same pace. */
export function useNow(everyMs = 1_000): number {
  const source = ticker(everyMs)
  return useSyncExternalStore(
    (listener) => {
      source.listeners.add(listener)
      if (source.timer === undefined) {
        source.now = Date.now()
        source.timer = setInterval(() => {
          source.now = Date.now()
          for (const tell of source.listeners) tell()
        }, everyMs)
      }
      return () => {
        source.listeners.delete(listener)
        if (source.listeners.size > 0) return
        clearInterval(source.timer)
        delete source.timer
      }
    },
    () => source.now,
  )
}

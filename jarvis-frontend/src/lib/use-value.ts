import { useSyncExternalStore } from 'react'

type Readable<T> = { get: () => T; subscribe: (listener: () => void) => () => void }

export function useValue<T>(source: Readable<T>): T {
  return useSyncExternalStore(source.subscribe, source.get, source.get)
}

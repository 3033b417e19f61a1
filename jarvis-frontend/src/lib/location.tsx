import { createContext, startTransition, useContext, useLayoutEffect, useMemo, useState } from 'react'

/** The present address. `key` differs for each visit; `state` is the one given to `navigate`, also after a reload. */
export type Location = { pathname: string; search: string; hash: string; state: unknown; key: string }

const changed = 'jarvis:navigated'

function read(): Location {
  const { pathname, search, hash } = location
  const { state = null, key = 'first' } = (history.state ?? {}) as Partial<Location>
  return { pathname, search, hash, state, key }
}

const Here = createContext(read())

/** Provides the present address to its children. */
export function LocationProvider({ children }: { children: React.ReactNode }) {
  const [here, setHere] = useState(read)
  useLayoutEffect(() => {
    // A transition, so that a large page does not hold up the keys.
    const follow = () => startTransition(() => setHere(read()))
    const gone = new AbortController()
    for (const event of ['popstate', changed]) addEventListener(event, follow, { signal: gone.signal })
    return () => gone.abort()
  }, [])
  return <Here value={here}>{children}</Here>
}

export const useLocation = (): Location => useContext(Here)

/** Opens a path of the dashboard. `replace` replaces the present entry of the history. */
export function navigate(to: string, { replace = false, state }: { replace?: boolean; state?: unknown } = {}): void {
  const entry = { state, key: Math.random().toString(36).slice(2) }
  if (replace) history.replaceState(entry, '', to)
  else history.pushState(entry, '', to)
  dispatchEvent(new Event(changed))
}

type Params = URLSearchParams | Record<string, string>

/** The query of the address, and a function that replaces it without a new entry in the history. */
export function useSearchParams(): readonly [URLSearchParams, (next: Params) => void] {
  const { pathname, search } = useLocation()
  const params = useMemo(() => new URLSearchParams(search), [search])
  const replace = (next: Params) => {
    const query = new URLSearchParams(next).toString()
    navigate(query === '' ? pathname : `${pathname}?${query}`, { replace: true })
  }
  return [params, replace]
}

import { createContext, startTransition, useContext, useLayoutEffect, useMemo, useState } from 'react'

/** The present URL. `key` differs for each visit. `state` is the value passed to `navigate`; it survives a reload. */
export type Location = { pathname: string; search: string; hash: string; state: unknown; key: string }

const changed = 'jarvis:navigated'

function read(): Location {
  const { pathname, search, hash } = location
  const { state = null, key = 'first' } = (history.state ?? {}) as Partial<Location>
  return { pathname, search, hash, state, key }
}

const Here = createContext(read())

/** Provides the present URL to its children. */
export function LocationProvider({ children }: { children: React.ReactNode }) {
  const [here, setHere] = useState(read)
  useLayoutEffect(() => {
    // A transition, so that drawing a large page does not block key presses.
    const follow = () => startTransition(() => setHere(read()))
    const gone = new AbortController()
    for (const event of ['popstate', changed]) addEventListener(event, follow, { signal: gone.signal })
    return () => gone.abort()
  }, [])
  return <Here value={here}>{children}</Here>
}

export const useLocation = (): Location => useContext(Here)

/** Opens a path of the dashboard. `replace`: replaces the current history entry. */
export function navigate(to: string, { replace = false, state }: { replace?: boolean; state?: unknown } = {}): void {
  const entry = { state, key: Math.random().toString(36).slice(2) }
  if (replace) history.replaceState(entry, '', to)
  else history.pushState(entry, '', to)
  dispatchEvent(new Event(changed))
}

type Params = URLSearchParams | Record<string, string>

/** Returns the query of the URL, and a function that replaces it without a new history entry. */
export function useSearchParams(): readonly [URLSearchParams, (next: Params) => void] {
  const { pathname, search } = useLocation()
  const params = useMemo(() => new URLSearchParams(search), [search])
  const replace = (next: Params) => {
    const query = new URLSearchParams(next).toString()
    navigate(query === '' ? pathname : `${pathname}?${query}`, { replace: true })
  }
  return [params, replace]
}

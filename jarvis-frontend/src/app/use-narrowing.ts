import { useSearchParams } from '../lib/location.tsx'

/** What the address narrows a list to, how that is changed (an empty or undefined value is taken out), and how all of it is cleared. */
export function useNarrowing() {
  const [params, setParams] = useSearchParams()
  const narrow = (changes: Record<string, string | undefined>) => {
    const next = new URLSearchParams(params)
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') next.delete(name)
      else next.set(name, value)
    }
    setParams(next)
  }
  return [params, narrow, () => setParams({})] as const
}

import { useSearchParams } from '../lib/location.tsx'

/**
 * Returns a list's filters from the URL, a function that changes them (an empty or undefined value removes a filter), and a function that clears
 * all.
 */
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

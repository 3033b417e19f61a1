import type { NextStart } from 'jarvis-backend/protocol'

/** The saved cluster that is not in use yet, by its first address; undefined where there is none. */
export function savedPlaces(nextStart: NextStart | undefined): string | undefined {
  const [first, ...more] = nextStart?.urls ?? []
  if (first === undefined) return undefined
  const place = first.replace('https://', '').replace(/:8006$/, '')
  return more.length === 0 ? place : `${place} and ${more.length} more`
}

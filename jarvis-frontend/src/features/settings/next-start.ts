import type { NextStart } from 'protocol'

/**
 * Returns the first address of a cluster that was saved and is used from the next start, and the number of further addresses; undefined if none is
 * saved.
 */
export function savedPlaces(nextStart: NextStart | undefined): string | undefined {
  const [first, ...more] = nextStart?.urls ?? []
  if (first === undefined) return undefined
  const place = first.replace('https://', '').replace(/:8006$/, '')
  return more.length === 0 ? place : `${place} and ${more.length} more`
}

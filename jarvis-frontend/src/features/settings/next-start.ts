import type { NextStart } from 'protocol'

/** The first address of a cluster that is saved and counts from the next start; undefined where there is none. */
export function savedPlaces(nextStart: NextStart | undefined): string | undefined {
  const [first, ...more] = nextStart?.urls ?? []
  if (first === undefined) return undefined
  const place = first.replace('https://', '').replace(/:8006$/, '')
  return more.length === 0 ? place : `${place} and ${more.length} more`
}

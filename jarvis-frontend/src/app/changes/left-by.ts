import type { Change } from 'protocol'

/** The settings that a change left behind, by key; undefined where it changed none. */
export function leftBy({
  toolInput: { set, remove },
  target,
}: Change): ReadonlyMap<string, string | undefined> | undefined {
  if (target.kind !== 'guest') return undefined
  const gets = typeof set === 'object' && set !== null && !Array.isArray(set) ? Object.entries(set) : []
  const loses = Array.isArray(remove) ? remove.map(String) : []
  if (gets.length + loses.length === 0) return undefined
  return new Map([
    ...gets.map(([key, value]) => [key, String(value)] as const),
    ...loses.map((key) => [key, undefined] as const),
  ])
}

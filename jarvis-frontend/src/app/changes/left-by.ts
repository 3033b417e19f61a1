import type { Change } from 'protocol'

/**
 * The settings that a change set, by key; an undefined value means that the change removed the key. Undefined if the change set no guest
 * configuration.
 */
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

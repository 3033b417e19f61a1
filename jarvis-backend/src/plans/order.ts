/** An item that must come after other items. `isFirst`: it is placed as early as possible. */
export type Ordered = { id: string; after: readonly string[]; isFirst?: boolean }

/**
 * Orders the ids so that every `after` is fulfilled. Among the items that may come next, an item with `isFirst` is preferred, then the order of the
 * list decides. Pure.
 * @returns the order, or a cycle as a list of ids with the first id repeated at the end. Unknown ids in `after` are ignored
 */
export function inOrder(list: readonly Ordered[]): { order: string[] } | { cycle: string[] } {
  const ids = new Set(list.map(({ id }) => id))
  const left = new Map(list.map((one) => [one.id, one]))
  const order: string[] = []
  const isReady = ({ after }: Ordered) => after.every((id) => !ids.has(id) || !left.has(id))
  while (left.size > 0) {
    const ready = [...left.values()].filter(isReady)
    const next = ready.find(({ isFirst }) => isFirst === true) ?? ready[0]
    if (next === undefined) return { cycle: cycleIn(left) }
    order.push(next.id)
    left.delete(next.id)
  }
  return { order }
}

/** Finds a cycle among items that each wait for another item of `left`. */
function cycleIn(left: ReadonlyMap<string, Ordered>): string[] {
  const path: string[] = []
  let [at] = left.keys()
  while (at !== undefined && !path.includes(at)) {
    path.push(at)
    at = left.get(at)?.after.find((id) => left.has(id))
  }
  return at === undefined ? path : [...path.slice(path.indexOf(at)), at].reverse()
}

/** Returns the wanted ids, and all ids on which they depend, directly or indirectly. */
export function leadingTo(wanted: ReadonlySet<string>, list: readonly Ordered[]): Set<string> {
  const found = new Set(wanted)
  const afterOf = new Map(list.map(({ id, after }) => [id, after]))
  for (const id of found) for (const before of afterOf.get(id) ?? []) found.add(before)
  return found
}

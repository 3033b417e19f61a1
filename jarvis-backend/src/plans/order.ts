/** An item that comes after other items. `isFirst`: it comes as early as it may. */
export type Ordered = { id: string; after: readonly string[]; isFirst?: boolean }

/**
 * Orders the ids so that every `after` holds. Among items that may come next, those with `isFirst` come first, then the order of the list. Pure.
 * @returns the order, or a cycle as a list of ids with the first id again at its end. Unknown ids in `after` are ignored
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

/** A cycle among items that all wait for another one of `left`. */
function cycleIn(left: ReadonlyMap<string, Ordered>): string[] {
  const path: string[] = []
  let [at] = left.keys()
  while (at !== undefined && !path.includes(at)) {
    path.push(at)
    at = left.get(at)?.after.find((id) => left.has(id))
  }
  return at === undefined ? path : [...path.slice(path.indexOf(at)), at].reverse()
}

/** The wanted ids, and all ids that come before one of them. */
export function leadingTo(wanted: ReadonlySet<string>, list: readonly Ordered[]): Set<string> {
  const found = new Set(wanted)
  const afterOf = new Map(list.map(({ id, after }) => [id, after]))
  for (const id of found) for (const before of afterOf.get(id) ?? []) found.add(before)
  return found
}

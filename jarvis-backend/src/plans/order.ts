/** A node of a list in which some come after others. `isFirst`: it comes as early as it may. */
export type Ordered = { id: string; after: readonly string[]; isFirst?: boolean }

/**
 * The ids in an order that keeps every `after`: as they are listed otherwise, those that are `isFirst` before the rest. Pure.
 * @returns a cycle as a list of ids, the first again at its end, where there is one. Unknown ids are left out of account
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

/** Each of `left` waits for another of them, so that following these leads round. */
function cycleIn(left: ReadonlyMap<string, Ordered>): string[] {
  const path: string[] = []
  let [at] = left.keys()
  while (at !== undefined && !path.includes(at)) {
    path.push(at)
    at = left.get(at)?.after.find((id) => left.has(id))
  }
  return at === undefined ? path : [...path.slice(path.indexOf(at)), at].reverse()
}

/** The ids that lead to one of `wanted`, themselves included. */
export function leadingTo(wanted: ReadonlySet<string>, list: readonly Ordered[]): Set<string> {
  const found = new Set(wanted)
  const afterOf = new Map(list.map(({ id, after }) => [id, after]))
  for (const id of found) for (const before of afterOf.get(id) ?? []) found.add(before)
  return found
}

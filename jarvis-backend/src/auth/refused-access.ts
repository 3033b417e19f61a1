const everyMs = 60_000
/** Maximum number of entries in a minute for all requesters together, so that random requests do not fill the journal. */
const mostEntries = 60
const mostKept = 2_000

/** A request that was refused because its sender lacks the rights. `by`: a person's id, a token, or nobody. `door`: `GET /api/journal`, `/chat`, … */
export type RefusedAccess = { by: string; door: string; why: string; address: string }

export type Refusals = (refused: RefusedAccess) => void

/**
 * Reports requests that were refused because their sender lacks the rights. The same request is reported once a minute. @param tell `times`: further
 * occurrences since the last report, without this one
 */
export function createRefusals(
  now: () => number,
  tell: (refused: RefusedAccess & { times?: number }) => void,
): Refusals {
  const known = new Map<string, { toldAt: number; times: number }>()
  let minute = { since: 0, entries: 0 }
  return (refused) => {
    const key = `${refused.by} ${refused.door}`
    const before = known.get(key)
    if (minute.since + everyMs <= now()) minute = { since: now(), entries: 0 }
    const isSoon = before !== undefined && before.toldAt + everyMs > now()
    known.delete(key)
    if (isSoon || minute.entries >= mostEntries) {
      known.set(key, { toldAt: before?.toldAt ?? 0, times: (before?.times ?? 0) + 1 })
    } else {
      minute.entries += 1
      known.set(key, { toldAt: now(), times: 0 })
      tell({ ...refused, ...(before !== undefined && before.times > 0 && { times: before.times }) })
    }
    for (const oldest of known.keys()) {
      if (known.size <= mostKept) break
      known.delete(oldest)
    }
  }
}

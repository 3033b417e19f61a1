import type { ToolCalls } from 'protocol'
import type { Database } from '../database.ts'

const hourMs = 60 * 60_000
const windowMs = 7 * 24 * hourMs
/** Journal entries that are read at once before other work may run. */
const windowSize = 2_000

/** Counts each tool's calls of the last seven days from the journal. Entries that were counted once are not read again. */
export function createCallCounts({ sql }: Database, now: () => number): () => Promise<ToolCalls> {
  const bounds = sql.prepare<[], { first: number | null; last: number | null }>(
    'SELECT (SELECT MIN(seq) FROM journal) AS first, (SELECT MAX(seq) FROM journal) AS last',
  )
  const timeAt = sql.prepare<[number], { at: number }>('SELECT at FROM journal WHERE seq >= ? ORDER BY seq LIMIT 1')
  const count = sql.prepare<[number, number], { hour: number; tool: string | null; isRefused: number; calls: number }>(
    `SELECT at / ${hourMs} AS hour, CASE WHEN json_valid(body) THEN body ->> '$.toolName' END AS tool,
       kind = 'refusal' AS isRefused, COUNT(*) AS calls
     FROM journal WHERE seq > ? AND seq <= ? AND kind IN ('call', 'refusal') GROUP BY 1, 2, 3`,
  )
  const hours = new Map<number, { calls: Map<string, number>; refused: number }>()
  let counted = 0
  let running: Promise<void> | undefined

  /** Seq of the newest entry before a time, by bisection, because entries are in the order of time. */
  function lastBefore(at: number, first: number, last: number): number {
    let low = first - 1
    let high = last
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((timeAt.get(middle)?.at ?? at) < at) low = middle
      else high = middle - 1
    }
    return low
  }

  async function catchUp(): Promise<void> {
    const { first, last } = bounds.get() ?? {}
    if (first === null || first === undefined || last === null || last === undefined) return
    counted = Math.max(counted, lastBefore(now() - windowMs, Math.max(first, counted + 1), last))
    while (counted < last) {
      const upTo = Math.min(last, counted + windowSize)
      for (const { hour, tool, isRefused, calls } of count.all(counted, upTo)) {
        const bucket = hours.get(hour) ?? { calls: new Map<string, number>(), refused: 0 }
        hours.set(hour, bucket)
        if (isRefused === 1) bucket.refused += calls
        if (tool !== null) bucket.calls.set(tool, (bucket.calls.get(tool) ?? 0) + calls)
      }
      counted = upTo
      if (counted < last) await new Promise(setImmediate)
    }
  }

  return async () => {
    running ??= catchUp().finally(() => {
      running = undefined
    })
    await running
    const since = now() - windowMs
    const calls = new Map<string, number>()
    let refused = 0
    for (const [hour, bucket] of hours) {
      if ((hour + 1) * hourMs <= since) {
        hours.delete(hour)
        continue
      }
      refused += bucket.refused
      for (const [tool, sum] of bucket.calls) calls.set(tool, (calls.get(tool) ?? 0) + sum)
    }
    return { since, calls: Object.fromEntries(calls), refused }
  }
}

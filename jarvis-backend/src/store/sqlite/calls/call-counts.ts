import type { ToolCalls } from 'protocol'
import type { Database } from '../database.ts'
import { SqliteStore } from '../sqlite-store.ts'

const hourMs = 60 * 60_000
const windowMs = 7 * 24 * hourMs
/** Journal entries that are read at once before other work may run. */
const windowSize = 2_000

/** Counts each tool's calls of the last seven days from the journal. Entries that were counted once are not read again. */
export class CallCounts extends SqliteStore {
  readonly #now: () => number
  readonly #bounds = this.sql.prepare<[], { first: number | null; last: number | null }>(
    'SELECT (SELECT MIN(seq) FROM journal) AS first, (SELECT MAX(seq) FROM journal) AS last',
  )
  readonly #timeAt = this.sql.prepare<[number], { at: number }>(
    'SELECT at FROM journal WHERE seq >= ? ORDER BY seq LIMIT 1',
  )
  readonly #count = this.sql.prepare<
    [number, number],
    { hour: number; tool: string | null; isRefused: number; calls: number }
  >(
    `SELECT at / ${hourMs} AS hour, CASE WHEN json_valid(body) THEN body ->> '$.toolName' END AS tool,
       kind = 'refusal' AS isRefused, COUNT(*) AS calls
     FROM journal WHERE seq > ? AND seq <= ? AND kind IN ('call', 'refusal') GROUP BY 1, 2, 3`,
  )
  readonly #hours = new Map<number, { calls: Map<string, number>; refused: number }>()
  /** Seq of the newest entry that was counted. */
  #counted = 0
  #running: Promise<void> | undefined

  constructor(database: Pick<Database, 'sql'>, now: () => number) {
    super(database)
    this.#now = now
  }

  async lastWeek(): Promise<ToolCalls> {
    this.#running ??= this.#catchUp().finally(() => {
      this.#running = undefined
    })
    await this.#running
    const since = this.#now() - windowMs
    const calls = new Map<string, number>()
    let refused = 0
    for (const [hour, bucket] of this.#hours) {
      if ((hour + 1) * hourMs <= since) {
        this.#hours.delete(hour)
        continue
      }
      refused += bucket.refused
      for (const [tool, sum] of bucket.calls) calls.set(tool, (calls.get(tool) ?? 0) + sum)
    }
    return { since, calls: Object.fromEntries(calls), refused }
  }

  async #catchUp(): Promise<void> {
    const { first, last } = this.#bounds.get() ?? {}
    if (first === null || first === undefined || last === null || last === undefined) return
    const from = Math.max(first, this.#counted + 1)
    this.#counted = Math.max(this.#counted, this.#lastBefore(this.#now() - windowMs, from, last))
    while (this.#counted < last) {
      const upTo = Math.min(last, this.#counted + windowSize)
      for (const { hour, tool, isRefused, calls } of this.#count.all(this.#counted, upTo)) {
        const bucket = this.#hours.get(hour) ?? { calls: new Map<string, number>(), refused: 0 }
        this.#hours.set(hour, bucket)
        if (isRefused === 1) bucket.refused += calls
        if (tool !== null) bucket.calls.set(tool, (bucket.calls.get(tool) ?? 0) + calls)
      }
      this.#counted = upTo
      if (this.#counted < last) await new Promise(setImmediate)
    }
  }

  /** Seq of the newest entry before a time, by bisection, because entries are in the order of time. */
  #lastBefore(at: number, first: number, last: number): number {
    let low = first - 1
    let high = last
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#timeAt.get(middle)?.at ?? at) < at) low = middle
      else high = middle - 1
    }
    return low
  }
}

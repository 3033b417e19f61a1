import { SqliteStore } from '../sqlite-store.ts'

/** Tolerance, ms: a read is journalled when it ends, and the clock may be set back a little meanwhile. */
const slackMs = 60_000

/** Finds the journal's newest entry of each call of a session. */
export class CallEntries extends SqliteStore {
  readonly #bounds = this.sql.prepare<[], { first: number | null; last: number | null }>(
    'SELECT (SELECT MIN(seq) FROM journal) AS first, (SELECT MAX(seq) FROM journal) AS last',
  )
  readonly #atOf = this.sql
    .prepare<[number], number>('SELECT at FROM journal WHERE seq >= ? ORDER BY seq LIMIT 1')
    .pluck()
  readonly #between = this.sql.prepare<[number, number, string], { seq: number; call: string | null }>(
    `SELECT seq, body ->> '$.toolUseId' AS call FROM journal
     WHERE seq >= ? AND seq < ? AND json_valid(body) AND body ->> '$.sessionId' = ? ORDER BY seq`,
  )

  /**
   * Searches between two times by bisection, so that an old run costs no more than a new one. @param from, until: Unix ms. @returns the entry's seq
   * by call. A call is missing if its entry is in a sealed segment, or was written before the clock was set far back
   */
  of(sessionId: string, from: number, until: number): Map<string, number> {
    const { first, last } = this.#bounds.get() ?? {}
    if (typeof first !== 'number' || typeof last !== 'number') return new Map()
    const bounds = { first, last }
    const rows = this.#between.all(this.#seqAt(from - slackMs, bounds), this.#seqAt(until + slackMs, bounds), sessionId)
    return new Map(rows.flatMap(({ seq, call }) => (call === null ? [] : [[call, seq]])))
  }

  /** The first entry that is not older than `at`. */
  #seqAt(at: number, { first, last }: { first: number; last: number }): number {
    let [low, high] = [first, last + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((this.#atOf.get(middle) ?? at) < at) low = middle + 1
      else high = middle
    }
    return low
  }
}

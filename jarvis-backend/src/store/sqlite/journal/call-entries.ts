import type { Database } from '../database.ts'

/** Tolerance, ms: a read is journalled when it ends, and the clock may be set back a little meanwhile. */
const slackMs = 60_000

/**
 * Finds the journal's newest entry of each call of a session. Searches between two times by bisection, so that an old run costs no more than a new
 * one. @returns the entry's seq by call. A call is missing if its entry is in a sealed segment, or was written before the clock was set far back
 */
export function createCallEntries({ sql }: Database) {
  const bounds = sql.prepare<[], { first: number | null; last: number | null }>(
    'SELECT (SELECT MIN(seq) FROM journal) AS first, (SELECT MAX(seq) FROM journal) AS last',
  )
  const atOf = sql.prepare<[number], number>('SELECT at FROM journal WHERE seq >= ? ORDER BY seq LIMIT 1').pluck()
  const between = sql.prepare<[number, number, string], { seq: number; call: string | null }>(
    `SELECT seq, body ->> '$.toolUseId' AS call FROM journal
     WHERE seq >= ? AND seq < ? AND json_valid(body) AND body ->> '$.sessionId' = ? ORDER BY seq`,
  )
  /** The first entry that is not older than `at`. */
  function seqAt(at: number, first: number, last: number): number {
    let [low, high] = [first, last + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((atOf.get(middle) ?? at) < at) low = middle + 1
      else high = middle
    }
    return low
  }
  /** @param from, until: Unix ms */
  return (sessionId: string, from: number, until: number): Map<string, number> => {
    const { first, last } = bounds.get() ?? {}
    if (typeof first !== 'number' || typeof last !== 'number') return new Map()
    const rows = between.all(seqAt(from - slackMs, first, last), seqAt(until + slackMs, first, last), sessionId)
    return new Map(rows.flatMap(({ seq, call }) => (call === null ? [] : [[call, seq]])))
  }
}

import { excerpt } from '../../agent/excerpt.ts'
import type { ListedSession, SessionList, SessionQuery, SessionTotals } from '../../agent/session-list.ts'
import type { Database } from './database.ts'
import { type createSessionIndex, rowsOfSession, wordsOf } from './session-index.ts'
import { type SessionRow, sessionColumns, toSession } from './session-row.ts'

/** What a request may wait for entries that are not in the index yet. */
const waitMs = 50
/** Shorter words are looked for whole: what begins with one letter is nearly everything. */
const shortestPrefix = 3
const mostTerms = 8

type TotalsRow = {
  input: number | null
  output: number
  cacheRead: number
  cacheWrite: number
  costUsd: number
  unpriced: number
  number: number
}

export function createSessionList(
  { sql }: Database,
  index: Pick<ReturnType<typeof createSessionIndex>, 'catchUp' | 'changed'>,
): SessionList {
  const totalColumns = `input_tokens AS input, output_tokens AS output, cache_read_tokens AS cacheRead,
    cache_write_tokens AS cacheWrite, cost_usd AS costUsd, unpriced, number`
  const select = sql.prepare<Record<string, unknown>, SessionRow & TotalsRow>(
    `SELECT ${sessionColumns}, ${totalColumns}
     FROM sessions LEFT JOIN session_index ON session_index.session_id = sessions.id
     WHERE (updated_at, sessions.id) < (@at, @id) AND (@source IS NULL OR source = @source)
       AND CASE @archived WHEN 'no' THEN archived_at IS NULL WHEN 'only' THEN archived_at IS NOT NULL ELSE 1 END
     ORDER BY updated_at DESC, sessions.id DESC LIMIT @limit`,
  )
  const selectAmong = sql.prepare<Record<string, unknown>, SessionRow & TotalsRow>(
    `SELECT ${sessionColumns}, ${totalColumns}
     FROM json_each(@numbers) AS wanted CROSS JOIN session_index ON session_index.number = wanted.value
       CROSS JOIN sessions ON sessions.id = session_index.session_id
     WHERE (updated_at, sessions.id) < (@at, @id) AND (@source IS NULL OR source = @source)
       AND CASE @archived WHEN 'no' THEN archived_at IS NULL WHEN 'only' THEN archived_at IS NOT NULL ELSE 1 END
     ORDER BY updated_at DESC, sessions.id DESC LIMIT @limit`,
  )
  const selectTotals = sql.prepare<[string], TotalsRow>(
    `SELECT ${totalColumns} FROM session_index WHERE session_id = ?`,
  )
  const selectSessions = sql
    .prepare<[string], number>(
      `SELECT DISTINCT rowid / ${rowsOfSession} FROM session_words WHERE session_words MATCH ?`,
    )
    .pluck()
  const selectPlace = sql
    .prepare<[string, number, number], number>(
      'SELECT rowid FROM session_words WHERE session_words MATCH ? AND rowid > ? AND rowid < ? ORDER BY rowid DESC LIMIT 1',
    )
    .pluck()
  const selectBody = sql
    .prepare<[string, number], string>('SELECT body FROM entries WHERE session_id = ? AND seq = ?')
    .pluck()

  /** Sessions that hold every term, each somewhere. */
  function among(terms: readonly string[]): number[] {
    let found: number[] | undefined
    for (const term of terms) {
      const here = selectSessions.all(term)
      const set = new Set(here)
      found = found === undefined ? here : found.filter((number) => set.has(number))
      if (found.length === 0) break
    }
    return found ?? []
  }

  /** The newest message with all of the terms, else with one of them. */
  function placeOf(sessionId: string, number: number, terms: readonly string[]): ListedSession['found'] {
    const first = number * rowsOfSession
    const row =
      selectPlace.get(terms.join(' '), first, first + rowsOfSession) ??
      selectPlace.get(terms.join(' OR '), first, first + rowsOfSession)
    if (row === undefined) return undefined
    const seq = row - first - 1
    const body = selectBody.get(sessionId, seq)
    return body === undefined ? undefined : { seq, text: excerpt(wordsOf(JSON.parse(body)), terms.map(plain)) }
  }

  return {
    page({ limit, before, words, source, archived }: SessionQuery) {
      const isIndexing = !index.catchUp(waitMs)
      const [at, id] = before === undefined ? [Number.MAX_SAFE_INTEGER, ''] : splitCursor(before)
      const terms = words === undefined ? undefined : termsOf(words)
      const query = { at, id, source: source ?? null, archived, limit: limit + 1 }
      const rows =
        terms === undefined ? select.all(query) : selectAmong.all({ ...query, numbers: JSON.stringify(among(terms)) })
      const items = rows.slice(0, limit).map((row): ListedSession => {
        const totals = totalsOf(row)
        const found = terms === undefined ? undefined : placeOf(row.id, row.number, terms)
        return { ...toSession(row), ...(totals && { totals }), ...(found && { found }) }
      })
      const last = items.at(-1)
      const next = rows.length > limit && last !== undefined ? { next: `${last.updatedAt}.${last.id}` } : {}
      return { items, ...next, isIndexing }
    },
    totals(sessionId) {
      index.catchUp(waitMs)
      return totalsOf(selectTotals.get(sessionId))
    },
    changed: index.changed,
  }
}

function totalsOf(row: TotalsRow | undefined): SessionTotals | undefined {
  if (row === undefined || row.input === null) return undefined
  const { input, output, cacheRead, cacheWrite, costUsd, unpriced } = row
  const usage = { inputTokens: input, outputTokens: output, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite }
  return { usage, ...(unpriced === 0 && costUsd > 0 && { costUsd }) }
}

/** What is typed as FTS5 takes it, each term quoted: nothing in it is an operator. */
export function termsOf(words: string): string[] {
  return [...words.matchAll(/"([^"]*)"?|[^\s"]+/g)]
    .map(([whole, quoted]) => ({ text: quoted ?? whole, isExact: quoted !== undefined }))
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text))
    .slice(0, mostTerms)
    .map(({ text, isExact }) => `"${text}"${isExact || [...text].length < shortestPrefix ? '' : ' *'}`)
}

const plain = (term: string) => term.replace(/^"|"( \*)?$/g, '')

function splitCursor(cursor: string): [number, string] {
  const [at = '', id = ''] = cursor.split(/\.(.*)/s)
  return [Number(at) || 0, id]
}

import { placeOfTerms, searchTerms, type Term } from '../../../agent/search-terms.ts'
import { excerpt } from '../../../agent/sessions/excerpt.ts'
import type { ListedSession, SessionList, SessionQuery, SessionTotals } from '../../../agent/sessions/session-list.ts'
import type { Database } from '../database.ts'
import { SqliteStore } from '../sqlite-store.ts'
import { messagesFrom, messagesInBlock, rowsOfSession, type SessionIndex, wordsOf } from './session-index.ts'
import { type SessionRow, sessionColumns, toSession } from './session-row.ts'

/** Longest time that a request waits for indexing, ms. */
const waitMs = 50
type TotalsRow = {
  input: number | null
  output: number
  cacheRead: number
  cacheWrite: number
  costUsd: number
  unpriced: number
  partial: number
  number: number
}

const totalColumns = `input_tokens AS input, output_tokens AS output, cache_read_tokens AS cacheRead,
    cache_write_tokens AS cacheWrite, cost_usd AS costUsd, unpriced, partly_counted AS partial, number`
/** Filters the list. The newest version of a session decides if the session is archived. */
const isWanted = `(updated_at, sessions.id) < (@at, @id) AND (@source IS NULL AND source NOT IN ('job', 'v1') OR source = @source)
    AND (@agents IS NULL OR sessions.agent IN (SELECT value FROM json_each(@agents)))
    AND (@owner IS NULL OR sessions.person = @owner) AND (@since IS NULL OR updated_at >= @since) AND (@until IS NULL OR updated_at < @until)
    AND (@channel IS NULL OR sessions.id IN (SELECT session_id FROM channel_chats JOIN channel_recipients ON channel_recipients.id = recipient
      WHERE channel_recipients.channel = @channel))
    AND (@person IS NULL OR sessions.person = @person
      OR COALESCE(family, sessions.id) IN (SELECT shared.family FROM session_shares AS shared WHERE shared.person = @person))
    AND CASE @archived WHEN 'all' THEN 1 ELSE (@archived = 'only') = CASE WHEN family IS NULL THEN archived_at IS NOT NULL ELSE (
      SELECT newest.archived_at IS NOT NULL FROM sessions AS newest WHERE newest.family = sessions.family
      ORDER BY newest.updated_at DESC, newest.id DESC LIMIT 1) END END`
/** Keeps one row for each family of versions: the newest one that matches. */
const isNewest = (inQuestion: string) => `(family IS NULL OR NOT EXISTS (
    SELECT 1 FROM sessions AS newer WHERE newer.family = sessions.family
      AND (newer.updated_at, newer.id) > (sessions.updated_at, sessions.id)${inQuestion}))`

export class SqliteSessionList extends SqliteStore implements SessionList {
  readonly #index: Pick<SessionIndex, 'catchUp' | 'changed'>
  readonly #select = this.sql.prepare<Record<string, unknown>, SessionRow & TotalsRow>(
    `SELECT ${sessionColumns}, ${totalColumns}
     FROM sessions LEFT JOIN session_index ON session_index.session_id = sessions.id
     WHERE ${isWanted} AND ${isNewest('')}
     ORDER BY updated_at DESC, sessions.id DESC LIMIT @limit`,
  )
  readonly #selectCount = this.sql
    .prepare<Record<string, unknown>, number>(`SELECT count(*) FROM sessions WHERE ${isWanted} AND ${isNewest('')}`)
    .pluck()
  // Whole rows are read only for the rows of the page.
  readonly #selectAmong = this.sql.prepare<Record<string, unknown>, SessionRow & TotalsRow>(
    `WITH page AS MATERIALIZED (
       SELECT sessions.id, number
       FROM json_each(@numbers) AS wanted CROSS JOIN session_index ON session_index.number = wanted.value
         CROSS JOIN sessions ON sessions.id = session_index.session_id
       WHERE ${isWanted} AND ${isNewest(`
         AND (SELECT number FROM session_index WHERE session_id = newer.id) IN (SELECT value FROM json_each(@numbers))`)}
       ORDER BY updated_at DESC, sessions.id DESC LIMIT @limit)
     SELECT ${sessionColumns}, ${totalColumns}
     FROM page CROSS JOIN session_index USING (number) CROSS JOIN sessions ON sessions.id = page.id
     ORDER BY updated_at DESC, sessions.id DESC`,
  )
  readonly #selectTotals = this.sql.prepare<[string], TotalsRow>(
    `SELECT ${totalColumns} FROM session_index WHERE session_id = ?`,
  )
  readonly #selectFamilyTotals = this.sql.prepare<[string], TotalsRow>(
    `SELECT SUM(input_tokens) AS input, SUM(output_tokens) AS output, SUM(cache_read_tokens) AS cacheRead,
       SUM(cache_write_tokens) AS cacheWrite, SUM(cost_usd) AS costUsd, SUM(unpriced) AS unpriced,
       SUM(partly_counted) AS partial, MIN(number) AS number
     FROM sessions JOIN session_index ON session_index.session_id = sessions.id
     WHERE family = (SELECT family FROM sessions WHERE id = ?)`,
  )
  readonly #selectRows = this.sql
    .prepare<[string], number>('SELECT rowid FROM session_words WHERE session_words MATCH ?')
    .pluck()
  // The newest answer often has only calls while its run goes on.
  readonly #selectAnswers = this.sql.prepare<[string], { body: string }>(
    "SELECT body FROM entries WHERE session_id = ? AND type = 'assistant' ORDER BY seq DESC LIMIT 3",
  )
  // Child runs are counted by their own index and taken off, because most sessions have none.
  readonly #selectCountOf = this.sql
    .prepare<{ id: string }, number>(
      `SELECT (SELECT COUNT(*) FROM runs INDEXED BY runs_in_order WHERE session_id = @id)
         - (SELECT COUNT(*) FROM runs INDEXED BY runs_by_parent WHERE session_id = @id AND parent IS NOT NULL)`,
    )
    .pluck()
  readonly #selectMessages = messagesFrom(this.sql, messagesInBlock)

  constructor(database: Database, index: Pick<SessionIndex, 'catchUp' | 'changed'>) {
    super(database)
    this.#index = index
  }

  page({ limit, before, words, ...filter }: SessionQuery): {
    items: ListedSession[]
    next?: string
    isIndexing: boolean
  } {
    const isIndexing = !this.#index.catchUp(waitMs)
    const [at, id] = before === undefined ? [Number.MAX_SAFE_INTEGER, ''] : splitCursor(before)
    const search = words === undefined ? undefined : this.#searchFor(searchTerms(words))
    const query = { at, id, ...filtersOf(filter), limit: limit + 1 }
    const rows =
      search === undefined
        ? this.#select.all(query)
        : this.#selectAmong.all({ ...query, numbers: JSON.stringify(numbersOf(search)) })
    const items = rows.slice(0, limit).map((row): ListedSession => {
      const totals = totalsOf(row.versions > 1 ? this.#selectFamilyTotals.get(row.id) : row)
      const found = search === undefined ? undefined : this.#foundIn(row.id, row.number, search)
      const preview = this.#previewOf(row.id)
      const messages = this.#selectCountOf.get({ id: row.id }) ?? 0
      return {
        ...toSession(row),
        messages,
        ...(preview && { preview }),
        ...(totals && { totals }),
        ...(found && { found }),
      }
    })
    const last = items.at(-1)
    const next = rows.length > limit && last !== undefined ? { next: `${last.updatedAt}.${last.id}` } : {}
    return { items, ...next, isIndexing }
  }

  count(filter: Omit<SessionQuery, 'limit' | 'before' | 'words'>): number {
    return this.#selectCount.get({ at: Number.MAX_SAFE_INTEGER, id: '', ...filtersOf(filter) }) ?? 0
  }

  totals(sessionId: string): SessionTotals | undefined {
    this.#index.catchUp(waitMs)
    return totalsOf(this.#selectTotals.get(sessionId))
  }

  changed(sessionId: string): void {
    this.#index.changed(sessionId)
  }

  #searchFor(terms: readonly Term[]): Search {
    return {
      terms,
      rows: terms.map((term) => this.#selectRows.all(quoted(term))),
    }
  }

  /** The first words of the newest answer with words; undefined if the newest answers have none. */
  #previewOf(sessionId: string): string | undefined {
    for (const { body } of this.#selectAnswers.all(sessionId)) {
      const text = wordsOf(JSON.parse(body)).trim()
      if (text !== '') return excerpt(text, 0)
    }
    return undefined
  }

  /** The newest block with most of the search terms. */
  #foundIn(sessionId: string, number: number, search: Search): ListedSession['found'] {
    const counts = new Map<number, number>()
    for (const rows of search.rows) {
      for (const row of rowsBetween(rows, number * rowsOfSession + 1, (number + 1) * rowsOfSession)) {
        counts.set(row, (counts.get(row) ?? 0) + 1)
      }
    }
    const [best] = [...counts].sort(([a, most], [b, least]) => least - most || b - a)
    if (best === undefined) return undefined
    const messages = this.#selectMessages
      .all(sessionId, best[0] - number * rowsOfSession - 1)
      .map(({ seq, body }) => ({ seq, text: wordsOf(JSON.parse(body)) }))
    const place = placeOfTerms(messages, search.terms)
    return place && { seq: place.found.seq, text: excerpt(place.found.text, place.at) }
  }
}

const filtersOf = ({
  source,
  archived,
  person,
  agents,
  owner,
  channel,
  since,
  until,
}: Omit<SessionQuery, 'limit' | 'before' | 'words'>) => ({
  source: source ?? null,
  archived,
  person: person ?? null,
  agents: agents === undefined ? null : JSON.stringify(agents),
  owner: owner ?? null,
  channel: channel ?? null,
  since: since ?? null,
  until: until ?? null,
})

function totalsOf(row: TotalsRow | undefined): SessionTotals | undefined {
  if (row === undefined || row.input === null) return undefined
  const { input, output, cacheRead, cacheWrite, costUsd, unpriced, partial } = row
  const usage = { inputTokens: input, outputTokens: output, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite }
  return {
    usage,
    ...(partial > 0 && { isUsagePartial: true as const }),
    ...(unpriced === 0 && costUsd > 0 && { costUsd }),
  }
}

/** The search terms, and for each term the rows of `session_words` that contain it, in order. */
type Search = { terms: readonly Term[]; rows: readonly (readonly number[])[] }

/** The sessions that contain every term, each term in any of the session's rows. */
function numbersOf({ rows }: Search): number[] {
  const [first = new Set<number>(), ...others] = rows.map(
    (of) => new Set(of.map((row) => Math.floor(row / rowsOfSession))),
  )
  return [...first].filter((number) => others.every((other) => other.has(number)))
}

/** The rows from `from` up to, but not including, `to`. */
function rowsBetween(rows: readonly number[], from: number, to: number): readonly number[] {
  let low = 0
  for (let high = rows.length; low < high; ) {
    const middle = (low + high) >> 1
    if ((rows[middle] ?? to) < from) low = middle + 1
    else high = middle
  }
  let end = low
  while ((rows[end] ?? to) < to) end += 1
  return rows.slice(low, end)
}

/** Quotes a term for FTS5, so that it holds no operators. */
const quoted = ({ text, isPrefix }: Term) => `"${text}"${isPrefix ? ' *' : ''}`

function splitCursor(cursor: string): [number, string] {
  const [at = '', id = ''] = cursor.split(/\.(.*)/s)
  return [Number(at) || 0, id]
}

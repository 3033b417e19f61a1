import { createHash } from 'node:crypto'
import type { JournalEntry, JournalPage, JournalQuery } from 'protocol'
import type { Journal, JournalKind } from '../../../calls/ports.ts'
import type { Database } from '../database.ts'
import { SqliteStore } from '../sqlite-store.ts'
import type { Anchor, Head } from './anchor.ts'

/** An entry as stored. `body` is the JSON text that was hashed. */
export type JournalRow = { seq: number; at: number; kind: string; body: string; hash: string }

export const firstHash = '0'.repeat(64)

/** Hash of an entry's seq, time, kind and body, and of the previous hash: a change breaks all later entries. SHA-256, hex. */
export const hashOf = (previous: string, { seq, at, kind, body }: Omit<JournalRow, 'hash'>): string =>
  createHash('sha256').update(`${previous}\n${seq}\n${at}\n${kind}\n${body}`).digest('hex')

/** Reads the newest entry's seq and hash. */
export const journalHead = ({ sql }: Database): (() => Head) => {
  const last = sql.prepare<[], Head>('SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1')
  return () => last.get() ?? { seq: 0, hash: firstHash }
}

/** The journal, for appending. */
export class SqliteJournal extends SqliteStore implements Journal {
  readonly #database: Database
  readonly #now: () => number
  readonly #anchor: Anchor | undefined
  readonly #insert = this.sql.prepare('INSERT INTO journal (seq, at, kind, body, hash) VALUES (?, ?, ?, ?, ?)')
  readonly #last: () => Head

  /** @param anchor is told of each entry after its commit */
  constructor(database: Database, now: () => number, anchor?: Anchor) {
    super(database)
    this.#database = database
    this.#now = now
    this.#anchor = anchor
    this.#last = journalHead(database)
  }

  append(kind: JournalKind, body: Record<string, unknown>): void {
    this.#database.atomically(() => {
      // Read each time, because a rollback removes entries and the command line writes here too.
      const head = this.#last()
      const row = { seq: head.seq + 1, at: this.#now(), kind, body: JSON.stringify(body) }
      const hash = hashOf(head.hash, row)
      this.#insert.run(row.seq, row.at, kind, row.body, hash)
      const anchor = this.#anchor
      if (anchor !== undefined) this.#database.afterCommit(() => anchor.moved({ seq: row.seq, hash }))
    })
  }
}

/** Entries that are read at once before other work may run, so that a filter without matches does not block the process. */
const windowSize = 2_000

/** Maximum number of entries read for one call. A call has four (asked, decided, run, ended); the rest is room for grants and later findings. */
const entriesPerCall = 12

const unfiltered = {
  kind: null,
  toolUseId: null,
  sessionId: null,
  toolName: null,
  actor: null,
  tier: null,
  outcome: null,
  signed: null,
  since: null,
  until: null,
}

/** Pages of the journal. */
export class JournalPages extends SqliteStore {
  readonly #bounds = this.sql.prepare<[], { first: number | null; last: number | null }>(
    'SELECT (SELECT MIN(seq) FROM journal) AS first, (SELECT MAX(seq) FROM journal) AS last',
  )
  // A tampered body may be no JSON: it is listed, but no filter matches it.
  readonly #select = this.sql.prepare<[object], JournalRow>(
    `SELECT seq, at, kind, body, hash FROM journal
     WHERE seq < @before AND seq >= @from
       AND (@kind IS NULL OR kind = @kind)
       AND (@toolUseId IS NULL OR json_valid(body) AND body ->> '$.toolUseId' = @toolUseId)
       AND (@sessionId IS NULL OR json_valid(body) AND body ->> '$.sessionId' = @sessionId)
       AND (@toolName IS NULL OR json_valid(body) AND body ->> '$.toolName' = @toolName)
       AND (@actor IS NULL OR json_valid(body) AND @actor IN (
         body ->> '$.by', body ->> '$.requestedBy.name', body ->> '$.requestedBy.token'))
       AND (@tier IS NULL OR json_valid(body) AND body ->> '$.tier' = @tier)
       AND (@outcome IS NULL OR json_valid(body) AND body ->> '$.outcome' = @outcome)
       AND (@signed IS NULL OR json_valid(body) AND body ->> '$.receipt.type' IS NOT NULL)
       AND (@since IS NULL OR at >= @since)
       AND (@until IS NULL OR at < @until)
       AND NOT EXISTS (SELECT 1 FROM json_each(@words) WHERE instr(lower(body), value) = 0)
     ORDER BY seq DESC LIMIT @limit`,
  )
  // The conditions match the index `journal_calls`.
  readonly #ofCall = this.sql.prepare<[string, number], JournalRow>(
    `SELECT seq, at, kind, body, hash FROM journal
     WHERE json_valid(body) AND body ->> '$.toolUseId' IS NOT NULL AND (kind <> 'call' OR body ->> '$.outcome' IS NULL)
       AND body ->> '$.toolUseId' = ? ORDER BY seq DESC LIMIT ?`,
  )

  /**
   * Reads a page, newest entry first; `next` is the `before` of the next page. A page costs the same at any length of the journal. A filter with few
   * matches costs about 1 ms per 1,000 entries passed. The other entries of a page's calls cost about 10 µs each.
   */
  async page({ limit, before, words, from: since, to: until, ...filter }: JournalQuery): Promise<JournalPage> {
    const { first, last } = this.#bounds.get() ?? {}
    const wanted = { ...unfiltered, ...filter, since: since ?? null, until: until ?? null, words: wordsIn(words) }
    const rows: JournalRow[] = []
    let upTo = Math.min(before ?? Number.MAX_SAFE_INTEGER, (last ?? 0) + 1)
    while (rows.length <= limit && first !== null && first !== undefined && upTo > first) {
      const from = upTo - windowSize
      rows.push(...this.#select.all({ ...wanted, before: upTo, from, limit: limit + 1 - rows.length }))
      upTo = from
      if (rows.length <= limit) await new Promise(setImmediate)
    }
    const items = rows.slice(0, limit).map(toEntry)
    const oldest = items.at(-1)
    const besides = this.#besidesOf(items)
    return {
      items,
      ...(besides.length > 0 && { besides }),
      ...(rows.length > limit && oldest !== undefined && { next: String(oldest.seq) }),
    }
  }

  /** The other entries of the calls to which these entries belong. */
  #besidesOf(items: readonly JournalEntry[]): JournalEntry[] {
    const known = new Set(items.map(({ seq }) => seq))
    const calls = new Set(items.flatMap((entry) => callOf(entry) ?? []))
    return [...calls]
      .flatMap((id) => this.#ofCall.all(id, entriesPerCall).filter(({ seq }) => !known.has(seq)))
      .map(toEntry)
  }
}

/** The words of a search as a JSON array, each as it stands in the JSON text of an entry. SQLite lowers the case of ASCII letters alone. */
const wordsIn = (search = ''): string =>
  JSON.stringify(
    search
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => JSON.stringify(word.replace(/[A-Z]/g, (letter) => letter.toLowerCase())).slice(1, -1)),
  )

/** The call that an entry belongs to. A read has only one entry, so it has no others. */
function callOf({ kind, body }: JournalEntry): string | undefined {
  const { toolUseId, outcome } = (body ?? {}) as { toolUseId?: unknown; outcome?: unknown }
  return typeof toolUseId === 'string' && (kind !== 'call' || outcome === undefined) ? toolUseId : undefined
}

function toEntry({ body, ...row }: JournalRow): JournalEntry {
  try {
    return { ...row, body: JSON.parse(body) as unknown }
  } catch {
    return { ...row, body }
  }
}

import { closeSync, createReadStream, existsSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { JarvisError } from 'protocol'
import type { Journal } from '../../../calls/ports.ts'
import type { Database } from '../database.ts'
import { sync } from '../files.ts'
import { firstHash, hashOf, type JournalRow, journalHead } from './journal.ts'

/** Entries that were moved from the database into a sealed file. */
export type Segment = { firstSeq: number; lastSeq: number; firstPrevHash: string; lastHash: string }

/** Entries per file: few enough to delete without blocking a server that appends. */
const entriesPerSegment = 10_000

/** Path of a segment. The hash in the name keeps it apart from segments of a journal that a backup restored. */
export const segmentPath = (dir: string, { firstSeq, lastSeq, lastHash }: Segment): string =>
  join(dir, `segment-${firstSeq}-${lastSeq}-${lastHash.slice(0, 8)}.jsonl`)

/** Lists the sealed segments, oldest first. */
export function segmentReader({ sql }: Database): () => Segment[] {
  const select = sql.prepare<[], Segment>(
    `SELECT first_seq AS firstSeq, last_seq AS lastSeq, first_prev_hash AS firstPrevHash, last_hash AS lastHash
     FROM journal_segments ORDER BY first_seq`,
  )
  return () => select.all()
}

/** An entry as a line of an export or a segment; the body is the text that was hashed. */
const toLine = ({ seq, at, kind, body, hash }: JournalRow): string =>
  `{"seq":${seq},"at":${at},"kind":${JSON.stringify(kind)},"hash":"${hash}","body":${body}}\n`

/** Parses a line. @throws SyntaxError if it is not an entry */
export function fromLine(line: string): JournalRow {
  const { seq, at, kind, hash, body } = JSON.parse(line) as Record<string, unknown>
  if (typeof seq !== 'number' || typeof at !== 'number' || typeof kind !== 'string' || typeof hash !== 'string') {
    throw new SyntaxError('not an entry')
  }
  return { seq, at, kind, hash, body: JSON.stringify(body) }
}

export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of createReadStream(path, 'utf8')) {
    const lines = `${rest}${piece}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

/** Exports all entries as JSONL, sealed ones first, in pieces of bounded size. */
export async function* exportJournal(database: Database, dir: string | undefined): AsyncGenerator<string> {
  const segments = segmentReader(database)
  const select = database.sql.prepare<[number], JournalRow>(
    'SELECT seq, at, kind, body, hash FROM journal WHERE seq > ? ORDER BY seq LIMIT 200',
  )
  let seq = 0
  for (;;) {
    const sealed = segments().find((segment) => segment.lastSeq > seq)
    if (sealed !== undefined) {
      const path = dir === undefined ? undefined : segmentPath(dir, sealed)
      if (path !== undefined && existsSync(path)) {
        for await (const line of linesOf(path)) if (!isUpTo(seq, line)) yield `${line}\n`
      }
      seq = sealed.lastSeq
      continue
    }
    const rows = select.all(seq)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map(toLine).join('')
    seq = last.seq
    await new Promise(setImmediate)
  }
}

/** True if a line was exported already, because its segment was sealed during the export. Unreadable lines are exported unchanged. */
function isUpTo(seq: number, line: string): boolean {
  try {
    return fromLine(line).seq <= seq
  } catch {
    return false
  }
}

/**
 * Moves entries older than `before` (Unix ms) into files of `dir`; safe while a server appends. @returns the new segments. @throws JarvisError if an
 * entry was altered
 */
export function pruneJournal(
  database: Database,
  parts: { dir: string; journal: Journal; before: number; now: number; by: string },
): Segment[] {
  const { sql } = database
  const { dir, journal, before, now, by } = parts
  const segments = segmentReader(database)
  const select = sql.prepare<[number, number], JournalRow>(
    'SELECT seq, at, kind, body, hash FROM journal WHERE at < ? ORDER BY seq LIMIT ?',
  )
  const firstKept = sql.prepare<[number], { seq: number }>('SELECT seq FROM journal WHERE at >= ? ORDER BY seq LIMIT 1')
  const remove = sql.prepare('DELETE FROM journal WHERE seq BETWEEN ? AND ?')
  const insert = sql.prepare(
    `INSERT OR IGNORE INTO journal_segments (first_seq, last_seq, first_prev_hash, last_hash, sealed_at) VALUES (?, ?, ?, ?, ?)`,
  )

  const made: Segment[] = []
  // Entries that this function writes itself are kept.
  const kept = firstKept.get(before)?.seq ?? journalHead(database)().seq + 1
  for (;;) {
    const known = segments().at(-1)
    const rows = select.all(before, entriesPerSegment).filter(({ seq }) => seq < kept)
    const [first] = rows
    const last = rows.at(-1)
    if (first === undefined || last === undefined) return made
    const segment = {
      firstSeq: first.seq,
      lastSeq: last.seq,
      firstPrevHash: known?.lastHash ?? firstHash,
      lastHash: last.hash,
    }
    check(rows, (known?.lastSeq ?? 0) + 1, segment.firstPrevHash)
    writeWhole(segmentPath(dir, segment), rows)
    database.durably(() => {
      insert.run(segment.firstSeq, segment.lastSeq, segment.firstPrevHash, segment.lastHash, now)
      // Append the prune entry before the deletion, because its hash continues from the last entry.
      journal.append('prune', { ...segment, by })
      // Another process may have pruned at the same time: the entries are gone, and the file belongs to it too.
      if (remove.run(first.seq, last.seq).changes !== rows.length) {
        throw new JarvisError('invalid_request', 'The journal is being pruned elsewhere. Nothing more was sealed here.')
      }
    })
    made.push(segment)
  }
}

/** Refuses altered entries. They stay in the database, so that `verify` finds them. @throws JarvisError */
function check(rows: JournalRow[], firstSeq: number, previous: string) {
  let hash = previous
  for (const [index, row] of rows.entries()) {
    if (row.seq !== firstSeq + index || row.hash !== hashOf(hash, row)) {
      throw new JarvisError(
        'invalid_request',
        `Entry ${firstSeq + index} of the journal is not as it was written, so nothing from there on can be sealed. Run: journal verify`,
      )
    }
    hash = row.hash
  }
}

/** Writes a file completely. When it returns, the file is on disk under its final name. */
function writeWhole(path: string, rows: JournalRow[]) {
  const unfinished = `${path}.${process.pid}`
  const file = openSync(unfinished, 'w', 0o600)
  try {
    for (const row of rows) writeFileSync(file, toLine(row))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, path)
  sync(dirname(path))
}

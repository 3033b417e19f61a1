import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { openCalls } from '../../agent/next-step.ts'
import { type BackedUpFile, sealTables } from './backup.ts'
import { SqliteChangeStore } from './calls/changes.ts'
import { SqliteConfirmationStore, SqliteExecutionStore } from './calls/confirmations.ts'
import { SqliteGrantStore } from './calls/grants.ts'
import { checkPages, type Database, DatabaseRefused, openDatabase } from './database.ts'
import { removeDatabase, sidecars, sync } from './files.ts'
import { type Head, readHead, writeHead } from './journal/anchor.ts'
import { journalHead, SqliteJournal } from './journal/journal.ts'
import { Verifier } from './journal/verify.ts'
import { migrations } from './migrations/index.ts'
import { type RestoredRights, takeBack, type Was } from './restore-rights.ts'
import { SqliteTranscriptStore } from './sessions/transcript.ts'

export type Restored = {
  /** Unix ms when the backup was made; undefined for a plain copy of a database. */
  backedUpAt: number | undefined
  /** Path to which the replaced database was copied. */
  kept: string | undefined
  head: Head
  /** Files from the backup; the caller writes them. */
  files: BackedUpFile[]
  rights: RestoredRights
}

/** Functions by which the caller decides before a restore changes anything. */
export type RestoreChecks = {
  /**
   * Checks if the file is as JARVIS wrote it. The file is a copy that `prove` may shorten. @returns false if it is not and the operator wants it all
   * the same; rights that only the file names are then not given. @throws an error that ends the restore
   */
  prove?(copy: string): boolean
  /** The reason why files of the backup cannot be put back; undefined if they can. */
  refuse?(files: readonly BackedUpFile[]): string | undefined
  /** Shows a person the result before anything is changed. If it returns false, the restore ends. */
  agree?(ready: Pick<Restored, 'backedUpAt' | 'rights' | 'files'>): Promise<boolean> | boolean
}

/**
 * Replaces the data dir's database with a backup, and keeps the old database beside it. Calls that may have run since the backup do not run again:
 * waiting cards expire, and running calls count as claimed. Rights that were taken away since are not given back. The caller holds the data dir's
 * lock.
 * @returns undefined if `agree` returned false
 * @throws DatabaseRefused if the backup is damaged or its schema is not JARVIS's own. In both cases nothing is changed
 */
export async function restore(
  dataDir: string,
  of: { file: string; now: number; evenBroken: boolean } & RestoreChecks,
): Promise<Restored | undefined> {
  const { file, now } = of
  const path = join(dataDir, 'jarvis.db')
  const journalDir = join(dataDir, 'journal')
  const next = `${path}.restoring`
  removeDatabase(next)
  mkdirSync(journalDir, { recursive: true, mode: 0o700 })
  const kept = existsSync(path)
    ? `${path}.before-restore-${new Date(now).toISOString().replace(/[:.]/g, '-')}`
    : undefined
  let isDone = false
  try {
    copyFileSync(file, next)
    chmodSync(next, 0o600)
    const isProven = of.prove?.(next) ?? true
    refuseForeign(next, file)
    const was = kept === undefined ? 'none' : keep(path, kept) ? 'attached' : 'damaged'
    const made = await prepare(next, { ...of, isProven, was, before: readHead(journalDir), kept })
    if (!((await of.agree?.(made)) ?? true)) return undefined
    sync(next)
    removeLog(path)
    renameSync(next, path)
    isDone = true
    sync(dataDir)
    await writeHead(journalDir, made.head, now)
    return { ...made, kept }
  } finally {
    removeDatabase(next)
    if (kept !== undefined && !isDone) removeDatabase(kept)
  }
}

/**
 * @throws DatabaseRefused for a file that was never a database of JARVIS, and for one with tables, triggers or views that JARVIS did not make. These
 * triggers would run with the first statement
 */
function refuseForeign(path: string, file: string) {
  let sql: Sqlite.Database | undefined
  try {
    sql = new Sqlite(path, { readonly: true })
    const found = schemaOf(sql)
    if (!found.has('table journal_segments'))
      throw new DatabaseRefused(`${file} is no backup of JARVIS. Nothing was changed.`)
    const version = Number(sql.pragma('user_version', { simple: true }))
    // A backup of a newer JARVIS is refused when it is opened.
    if (version > migrations.length) return
    const known = madeBy(migrations.slice(0, version))
    const own = ownOfBackups()
    const odd = [...new Set([...found.keys(), ...known.keys()])].filter(
      (name) => found.get(name) !== known.get(name) && !own.has(`${name} ${found.get(name)}`),
    )
    if (odd.length === 0) return refuseHuge(sql, file)
    const names = odd.slice(0, 5).map((name) => JSON.stringify(name))
    throw new DatabaseRefused(
      `${file} is not as JARVIS makes a database: ${names.join(', ')} differs. Nothing was changed. Use another backup.`,
    )
  } catch (error) {
    if (error instanceof DatabaseRefused) throw error
    // Damage is reported later. Any other error means that the file is not a database.
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_CORRUPT')) return
    throw new DatabaseRefused(`${file} is no backup of JARVIS. Nothing was changed.`)
  } finally {
    sql?.close()
  }
}

/** Largest value that JARVIS writes, bytes. */
const mostOfValue = 64 * 1024 ** 2
/** Tables that JARVIS reads whole, and the most rows and bytes that one of them may have. */
const wholeTables = ['backup', 'backup_files', 'people', 'jobs', 'settings']
const mostOfTable = { rows: 100_000, bytes: 512 * 1024 ** 2 }

/** Measures rows without reading them. @throws DatabaseRefused for a row or table that would fill this process's memory */
function refuseHuge(sql: Sqlite.Database, file: string) {
  const tables = sql
    .prepare<[], string>("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    .pluck()
    .all()
  for (const table of tables) {
    const columns = sql.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table)
    const sizes = columns.map((column) => `coalesce(octet_length("${column}"), 0)`)
    const size = (of: 'max' | 'total') => sizes.map((one) => `${of}(${one})`).join(of === 'max' ? ', ' : ' + ')
    type Measured = { rows: number; largest: number; bytes: number }
    const { rows, largest, bytes } = sql
      .prepare<[], Measured>(
        `SELECT count(*) AS rows, max(0, ${size('max')}) AS largest, ${size('total')} AS bytes FROM "${table}"`,
      )
      .get() ?? { rows: 0, largest: 0, bytes: 0 }
    const isTooMuch = wholeTables.includes(table) && (rows > mostOfTable.rows || bytes > mostOfTable.bytes)
    if (largest <= mostOfValue && !isTooMuch) continue
    const held = isTooMuch ? `${rows} rows of ${megabytes(bytes)}` : `a value of ${megabytes(largest)}`
    throw new DatabaseRefused(
      `${file} holds ${held} in its table ${table}, more than JARVIS ever writes there. Nothing was changed. Use another backup.`,
    )
  }
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MB`

/** Returns the schema of a database by kind and name, without the blanks and quotes of SQLite's text. */
function schemaOf(sql: Sqlite.Database): Map<string, string> {
  const rows = sql.prepare<[], { type: string; name: string; tbl_name: string; sql: string | null }>(
    'SELECT type, name, tbl_name, sql FROM sqlite_schema',
  )
  return new Map(
    rows.all().map((row) => [`${row.type} ${row.name}`, `${row.tbl_name} ${row.sql?.replace(/[\s"]+/g, '') ?? ''}`]),
  )
}

function madeBy(texts: readonly string[]): Map<string, string> {
  const sql = new Sqlite(':memory:')
  try {
    for (const text of texts) sql.exec(text)
    return schemaOf(sql)
  } finally {
    sql.close()
  }
}

/** Returns the schema items that only a backup has or that SQLite makes for itself. */
function ownOfBackups(): Set<string> {
  const made = madeBy([sealTables, 'CREATE TABLE own (id INTEGER PRIMARY KEY AUTOINCREMENT); ANALYZE'])
  made.delete('table own')
  return new Set([...made].map(([name, text]) => `${name} ${text}`))
}

async function prepare(
  path: string,
  parts: {
    file: string
    now: number
    evenBroken: boolean
    refuse?: RestoreChecks['refuse']
    isProven: boolean
    /** The way to read the replaced database, whose copy is at `kept`. */
    was: Was
    before: Head | undefined
    kept: string | undefined
  },
): Promise<Omit<Restored, 'kept'>> {
  const { file, now, before, kept, was, isProven } = parts
  const database = openDatabase(path)
  try {
    checkPages(database.sql, file)
    const sealed = sealOf(database)
    const files = filesIn(database)
    const problem = parts.refuse?.(files)
    if (problem !== undefined) throw new DatabaseRefused(`${problem} Nothing was changed.`)
    const { ok, reason } = await new Verifier(database).verify()
    const head = journalHead(database)()
    const isWhole = ok && (sealed === undefined || (sealed.seq === head.seq && sealed.hash === head.hash))
    if (!isWhole && !parts.evenBroken) {
      throw new DatabaseRefused(
        `The journal in ${file} is broken. ${reason ?? 'It is not the one that was backed up.'} Nothing was changed. --force restores it all the same.`,
      )
    }
    if (was === 'attached') database.sql.prepare('ATTACH ? AS was').run(kept)
    const rights = database.durably(() => {
      database.sql.exec('DROP TABLE IF EXISTS backup; DROP TABLE IF EXISTS backup_files')
      const left = endWhatMayHaveRun(database, now)
      const taken = takeBack(database, { was, isProven, now })
      new SqliteJournal(database, () => now).append('restore', {
        by: 'cli',
        file: basename(file),
        ...(sealed !== undefined && { backedUpAt: sealed.at }),
        ...(before !== undefined && { before }),
        ...(kept !== undefined && { kept: basename(kept) }),
        ...(!isProven && { isProven }),
        ...left,
      })
      return taken
    })
    if (was === 'attached') database.sql.exec('DETACH was')
    database.sql.pragma('journal_mode = DELETE')
    return { head: journalHead(database)(), backedUpAt: sealed?.at, files, rights }
  } finally {
    database.close()
  }
}

function sealOf({ sql }: Database): (Head & { at: number }) | undefined {
  const isSealed = sql.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'backup'").get() !== undefined
  return isSealed ? sql.prepare<[], Head & { at: number }>('SELECT at, seq, hash FROM backup').get() : undefined
}

function filesIn({ sql }: Database): BackedUpFile[] {
  const has = sql.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'backup_files'").get() !== undefined
  return has ? sql.prepare<[], BackedUpFile>('SELECT path, text FROM backup_files').all() : []
}

/** Expires cards, ends grants and claims open calls. @returns the number of expired cards, and of calls whose outcome is unknown */
function endWhatMayHaveRun(database: Database, now: number): { expired: number; unknown: number } {
  const transcript = new SqliteTranscriptStore(database)
  const confirmations = new SqliteConfirmationStore(database)
  const executions = new SqliteExecutionStore(database)
  let unknown = 0
  for (const { id: runId, sessionId } of transcript.unfinishedRuns()) {
    const entries = transcript.entriesOfRun(runId)
    for (const { toolUseId, toolName, toolInput } of openCalls(entries)) {
      const asked = confirmations.ofCall(toolUseId)
      const isWaiting = asked !== undefined && asked.resolution === undefined
      if (isWaiting || executions.get(toolUseId) !== undefined) continue
      const at = asked?.resolution?.at ?? entries.at(-1)?.at ?? now
      const bindingHash = asked?.bindingHash ?? ''
      const tier = asked === undefined ? 'yellow' : 'red'
      executions.claim({ toolUseId, sessionId, runId, toolName, toolInput, tier, bindingHash, at })
      unknown += 1
    }
  }
  const waiting = confirmations.pending()
  for (const { card } of waiting) confirmations.see(card.toolUseId, now, now)
  // Uses and revocations since the backup are lost, so every grant ends.
  const grants = new SqliteGrantStore(database)
  for (const { id } of grants.live()) grants.end(id, now)
  // The database no longer knows which changes were kept or taken back since, so no change goes back by itself.
  new SqliteChangeStore(database).close(
    'It was made before a backup was restored, and what became of it since is not known.',
  )
  return { expired: waiting.length, unknown }
}

/**
 * Copies the old database, so that a database is in place at every moment, and migrates the copy to the present schema. @returns true if the copy
 * can be used
 */
function keep(path: string, kept: string): boolean {
  for (const suffix of sidecars.slice(0, 2)) if (existsSync(path + suffix)) copyFileSync(path + suffix, kept + suffix)
  try {
    // Opening and closing moves the content of the write-ahead log into the file.
    openDatabase(kept).close()
    return true
  } catch {
    // Damage may be the reason for the restore, so a damaged database is kept unchanged, with its log.
    return false
  } finally {
    for (const suffix of sidecars.slice(0, 2)) if (existsSync(kept + suffix)) sync(kept + suffix)
  }
}

/** Removes the old log files, which SQLite would apply to the new database. */
function removeLog(path: string) {
  for (const suffix of sidecars.slice(1)) rmSync(path + suffix, { force: true })
}

import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { openCalls } from '../../agent/next-step.ts'
import type { BackedUpFile } from './backup.ts'
import { createChangeStore } from './calls/changes.ts'
import { createConfirmationStore, createExecutionStore } from './calls/confirmations.ts'
import { createGrantStore } from './calls/grants.ts'
import { checkPages, type Database, DatabaseRefused, openDatabase } from './database.ts'
import { removeDatabase, sidecars, sync } from './files.ts'
import { type Head, readHead, writeHead } from './journal/anchor.ts'
import { createJournal, journalHead } from './journal/journal.ts'
import { createVerifier } from './journal/verify.ts'
import { createTranscriptStore } from './sessions/transcript.ts'

export type Restored = {
  /** When the backup was made, Unix ms; undefined for a plain copy of a database. */
  backedUpAt: number | undefined
  /** Path of the database that was replaced. */
  kept: string | undefined
  head: Head
  /** Files from the backup; the caller writes them. */
  files: BackedUpFile[]
}

/**
 * Replaces the data dir's database with a backup and keeps the old one beside it. Calls that may have run since the backup do not run
 * again: waiting cards expire, and running calls count as claimed. The caller holds the data dir's lock. @throws DatabaseRefused where
 * the backup is damaged; nothing is changed then
 */
export async function restore(
  dataDir: string,
  {
    file,
    now,
    evenBroken,
    refuse = () => undefined,
  }: {
    file: string
    now: number
    evenBroken: boolean
    /** Why files of the backup cannot be put back; undefined where they can. */
    refuse?(files: readonly BackedUpFile[]): string | undefined
  },
): Promise<Restored> {
  const path = join(dataDir, 'jarvis.db')
  const journalDir = join(dataDir, 'journal')
  const next = `${path}.restoring`
  removeDatabase(next)
  mkdirSync(journalDir, { recursive: true, mode: 0o700 })
  try {
    copyFileSync(file, next)
    chmodSync(next, 0o600)
    refuseForeign(next, file)
    const kept = existsSync(path)
      ? `${path}.before-restore-${new Date(now).toISOString().replace(/[:.]/g, '-')}`
      : undefined
    const { head, backedUpAt, files } = await prepare(next, {
      file,
      now,
      evenBroken,
      refuse,
      before: readHead(journalDir),
      kept,
    })
    sync(next)
    if (kept !== undefined) keep(path, kept)
    removeLog(path)
    renameSync(next, path)
    sync(dataDir)
    await writeHead(journalDir, head, now)
    return { backedUpAt, kept, head, files }
  } finally {
    removeDatabase(next)
  }
}

/** @throws DatabaseRefused for a file that was never a database of JARVIS */
function refuseForeign(path: string, file: string) {
  let sql: Sqlite.Database | undefined
  try {
    sql = new Sqlite(path, { readonly: true })
    const isOurs = sql.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'journal_segments'").get() !== undefined
    if (isOurs) return
  } catch (error) {
    // A damaged database is reported later; any other error means that the file is no database.
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_CORRUPT')) return
  } finally {
    sql?.close()
  }
  throw new DatabaseRefused(`${file} is no backup of JARVIS. Nothing was changed.`)
}

async function prepare(
  path: string,
  parts: {
    file: string
    now: number
    evenBroken: boolean
    refuse(files: readonly BackedUpFile[]): string | undefined
    before: Head | undefined
    kept: string | undefined
  },
): Promise<Omit<Restored, 'kept'>> {
  const { file, now, before, kept } = parts
  const database = openDatabase(path)
  try {
    checkPages(database.sql, file)
    const sealed = sealOf(database)
    const files = filesIn(database)
    const problem = parts.refuse(files)
    if (problem !== undefined) throw new DatabaseRefused(`${problem} Nothing was changed.`)
    const { ok, reason } = await createVerifier(database)()
    const head = journalHead(database)()
    const isWhole = ok && (sealed === undefined || (sealed.seq === head.seq && sealed.hash === head.hash))
    if (!isWhole && !parts.evenBroken) {
      throw new DatabaseRefused(
        `The journal in ${file} is broken. ${reason ?? 'It is not the one that was backed up.'} Nothing was changed. --force restores it all the same.`,
      )
    }
    database.durably(() => {
      database.sql.exec('DROP TABLE IF EXISTS backup; DROP TABLE IF EXISTS backup_files')
      const left = endWhatMayHaveRun(database, now)
      createJournal(database, () => now).append('restore', {
        by: 'cli',
        file: basename(file),
        ...(sealed !== undefined && { backedUpAt: sealed.at }),
        ...(before !== undefined && { before }),
        ...(kept !== undefined && { kept: basename(kept) }),
        ...left,
      })
    })
    database.sql.pragma('journal_mode = DELETE')
    return { head: journalHead(database)(), backedUpAt: sealed?.at, files }
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

/** Expires cards, ends grants and claims open calls. @returns how many cards expired and how many calls have an unknown outcome */
function endWhatMayHaveRun(database: Database, now: number): { expired: number; unknown: number } {
  const transcript = createTranscriptStore(database)
  const confirmations = createConfirmationStore(database)
  const executions = createExecutionStore(database)
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
  const grants = createGrantStore(database)
  for (const { id } of grants.live()) grants.end(id, now)
  // Whether a change was kept or taken back since is lost, so none goes back.
  createChangeStore(database).close(
    'It was made before a backup was restored, and what became of it since is not known.',
  )
  return { expired: waiting.length, unknown }
}

/** Copies the old database, so that a database is in place at every moment. */
function keep(path: string, kept: string) {
  try {
    // Moves the log's content into the file.
    openDatabase(path).close()
  } catch {
    // A damaged database may be why it is replaced; it is kept as it is, with its log.
  }
  for (const suffix of sidecars.slice(0, 2)) {
    if (!existsSync(path + suffix)) continue
    copyFileSync(path + suffix, kept + suffix)
    sync(kept + suffix)
  }
}

/** Removes the old log files, which SQLite would apply to the new database. */
function removeLog(path: string) {
  for (const suffix of sidecars.slice(1)) rmSync(path + suffix, { force: true })
}

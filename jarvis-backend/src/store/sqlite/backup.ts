import { closeSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { JournalVerification } from 'protocol'
import { checkPages, type Database, openDatabase } from './database.ts'
import { removeDatabase, sync } from './files.ts'
import type { Head } from './journal/anchor.ts'
import { journalHead } from './journal/journal.ts'
import { Verifier } from './journal/verify.ts'

/** A file of the data dir; `path` is relative to it. */
export type BackedUpFile = { path: string; text: string }
export type Backup = { head: Head; bytes: number; journal: JournalVerification }

/** Tables of a backup that the database itself does not have. */
export const sealTables = `CREATE TABLE backup (at INTEGER NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
  CREATE TABLE backup_files (path TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;`

/** Pages copied between two progress reports. */
const pagesAtOnce = 1_000

/**
 * Copies the database into `file` while others may write to it, and checks the copy. `file` is created or replaced once the copy is complete. A
 * broken journal is copied too and reported. @throws DatabaseRefused if the copy is damaged; `file` is then unchanged
 */
export async function backUp(
  { sql }: Database,
  parts: {
    file: string
    now: number
    files?: readonly BackedUpFile[]
    progress(ratio: number): void
    /** Called with the finished copy before it gets its final name. */
    prove?(file: string): void
  },
): Promise<Backup> {
  const { file, now, files = [], progress, prove } = parts
  const unfinished = `${file}.unfinished`
  removeDatabase(unfinished)
  try {
    closeSync(openSync(unfinished, 'w', 0o600))
    // The open transaction fixes the copied state. Without it, each write of another process would restart the copy.
    sql.exec('BEGIN')
    try {
      sql.prepare('SELECT 1 FROM sqlite_schema').get()
      await sql.backup(unfinished, {
        progress({ totalPages, remainingPages }) {
          progress(totalPages === 0 ? 0 : 1 - remainingPages / totalPages)
          return pagesAtOnce
        },
      })
    } finally {
      sql.exec('COMMIT')
    }
    const made = await seal(unfinished, now, files)
    prove?.(unfinished)
    sync(unfinished)
    renameSync(unfinished, file)
    sync(dirname(file))
    return { ...made, bytes: statSync(file).size }
  } finally {
    removeDatabase(unfinished)
  }
}

/** Checks the copy, adds the journal's head and the files, and turns it into a single file. */
async function seal(path: string, now: number, files: readonly BackedUpFile[]): Promise<Omit<Backup, 'bytes'>> {
  const copy = openDatabase(path)
  try {
    checkPages(copy.sql, path)
    const head = journalHead(copy)()
    const journal = await new Verifier(copy).verify()
    copy.sql.exec(sealTables)
    copy.sql.prepare('INSERT INTO backup VALUES (?, ?, ?)').run(now, head.seq, head.hash)
    const insert = copy.sql.prepare('INSERT INTO backup_files VALUES (?, ?)')
    for (const each of files) insert.run(each.path, each.text)
    copy.sql.pragma('journal_mode = DELETE')
    return { head, journal }
  } finally {
    copy.close()
  }
}

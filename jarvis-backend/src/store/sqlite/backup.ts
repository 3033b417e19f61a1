import { closeSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { JournalVerification } from '../../protocol/index.ts'
import { checkPages, type Database, openDatabase } from './database.ts'
import { removeDatabase, sync } from './files.ts'
import type { Head } from './journal/anchor.ts'
import { journalHead } from './journal/journal.ts'
import { createVerifier } from './journal/verify.ts'

/** `path`: below the data dir. */
export type BackedUpFile = { path: string; text: string }
export type Backup = { head: Head; bytes: number; journal: JournalVerification }

/** Pages copied before `progress` is told. */
const pagesAtOnce = 1_000

/**
 * Copies the database as it is now into `file`, while others go on writing to it, and checks the copy. `file` appears
 * once it is whole, and takes the place of one that is there. A broken journal is copied too, and told of.
 * @throws DatabaseRefused where the copy is damaged; there is no `file` then.
 */
export async function backUp(
  { sql }: Database,
  parts: { file: string; now: number; files?: readonly BackedUpFile[]; progress(ratio: number): void },
): Promise<Backup> {
  const { file, now, files = [], progress } = parts
  const unfinished = `${file}.unfinished`
  removeDatabase(unfinished)
  try {
    closeSync(openSync(unfinished, 'w', 0o600))
    // What this transaction sees is copied: without it, each write of another process starts the copy over.
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
    renameSync(unfinished, file)
    sync(dirname(file))
    return { ...made, bytes: statSync(file).size }
  } finally {
    removeDatabase(unfinished)
  }
}

/** Checks the copy, writes the journal's head and the files into it, and makes one file of it. */
async function seal(path: string, now: number, files: readonly BackedUpFile[]): Promise<Omit<Backup, 'bytes'>> {
  const copy = openDatabase(path)
  try {
    checkPages(copy.sql, path)
    const head = journalHead(copy)()
    const journal = await createVerifier(copy)()
    copy.sql.exec('CREATE TABLE backup (at INTEGER NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT')
    copy.sql.prepare('INSERT INTO backup VALUES (?, ?, ?)').run(now, head.seq, head.hash)
    copy.sql.exec('CREATE TABLE backup_files (path TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT')
    const insert = copy.sql.prepare('INSERT INTO backup_files VALUES (?, ?)')
    for (const each of files) insert.run(each.path, each.text)
    copy.sql.pragma('journal_mode = DELETE')
    return { head, journal }
  } finally {
    copy.close()
    sync(path)
  }
}

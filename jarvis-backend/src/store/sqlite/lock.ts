import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { JarvisError } from 'protocol'
import { networkDiskOf, networkDiskWords } from '../../lib/network-disk.ts'
import { madePrivate } from '../../lib/private-file.ts'
import { DatabaseRefused } from './database.ts'
import { toStorageFailure } from './storage-failure.ts'

/** Time that a lock waits for other holders, ms. `isDataDirLocked` reads the file for an instant, and that must not stop a server's start. */
const patienceMs = 1_000

/**
 * Locks the data dir for this process; blocks the thread for at most `patienceMs` while another process holds the lock. The operating system
 * releases the lock when the process ends. @returns a function that unlocks the data dir. @throws DatabaseRefused if another server holds the lock
 */
export function lockDataDir(dataDir: string): () => void {
  let sql: Sqlite.Database | undefined
  try {
    const path = join(dataDir, 'lock.db')
    madePrivate(path)
    const held = new Sqlite(path, { timeout: patienceMs })
    sql = held
    // Nothing is written, so no journal file should be left on disk.
    held.pragma('journal_mode = MEMORY')
    held.exec('BEGIN EXCLUSIVE')
    return () => void held.close()
  } catch (error) {
    sql?.close()
    const failure = toStorageFailure(error)
    if (!(failure instanceof JarvisError)) throw error
    const isHeld = error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')
    const disk = networkDiskOf(dataDir)
    if (disk !== undefined) {
      const why = isHeld ? 'Another JARVIS runs there, or the lock is refused' : 'The lock is refused'
      throw new DatabaseRefused(`${why}: ${networkDiskWords(dataDir, disk)}.`, { cause: error })
    }
    throw new DatabaseRefused(
      isHeld
        ? `Another JARVIS runs on ${dataDir}. Stop it first, or set JARVIS_DATA_DIR to another folder.`
        : `${dataDir} cannot be used. ${failure.message}`,
      { cause: error },
    )
  }
}

/** True if a process holds the data dir now. Changes nothing. It reads the lock file for an instant, and `lockDataDir` waits for that. */
export function isDataDirLocked(dataDir: string): boolean {
  const path = join(dataDir, 'lock.db')
  if (!existsSync(path)) return false
  let sql: Sqlite.Database | undefined
  try {
    sql = new Sqlite(path, { readonly: true, timeout: 0 })
    sql.prepare('SELECT 1 FROM sqlite_schema').get()
    return false
  } catch (error) {
    return error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')
  } finally {
    sql?.close()
  }
}

import Sqlite from 'better-sqlite3'
import { JarvisError } from 'protocol'

const messages: readonly [code: RegExp, message: string][] = [
  [/^SQLITE_FULL/, 'The disk is full: nothing was changed. Free some space and try again.'],
  [/^SQLITE_READONLY/, 'The data dir is read-only: nothing was changed. Make it writable and try again.'],
  [/^SQLITE_(IOERR|CANTOPEN)/, 'The disk failed: nothing was changed. Look at it, then try again.'],
  [/^SQLITE_BUSY/, 'Another process holds the database: nothing was changed. Try again.'],
]

/** @returns a `storage_failed` error for failures of the disk, any other error unchanged */
export function toStorageFailure(error: unknown): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error
  const [, message] = messages.find(([code]) => code.test(error.code)) ?? []
  return message === undefined ? error : new JarvisError('storage_failed', message, { cause: error })
}

/** True if `toStorageFailure` made the error because the disk was full. */
export const isFull = (error: unknown): boolean =>
  error instanceof JarvisError &&
  error.cause instanceof Sqlite.SqliteError &&
  error.cause.code.startsWith('SQLITE_FULL')

import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'

/** Suffixes of a database's files. The write-ahead log holds data too. */
export const sidecars = ['', '-wal', '-shm'] as const

/** Deletes a database with its log files. */
export function removeDatabase(path: string): void {
  for (const suffix of sidecars) rmSync(path + suffix, { force: true })
}

/** Syncs a file, or a folder's entries, to disk before it returns. */
export function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

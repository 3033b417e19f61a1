import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'

/** A database is up to three files: what stands in the log is as much part of it. */
export const sidecars = ['', '-wal', '-shm'] as const

export function removeDatabase(path: string): void {
  for (const suffix of sidecars) rmSync(path + suffix, { force: true })
}

/** On disk before it returns: a file, or the names in a folder. */
export function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file atomically: after a crash the file has either the old or the new content. Only its owner can read it, unless `mode` allows more.
 */
export function writeWhole(path: string, text: string, mode = 0o600): void {
  const unfinished = `${path}.new`
  prepare(unfinished, text, mode)
  renameSync(unfinished, path)
  syncFolder(dirname(path))
}

/** Creates a file atomically, readable only by its owner. @returns false if the file exists; it then stays unchanged */
export function makeWhole(path: string, text: string): boolean {
  const unfinished = `${path}.${process.pid}.new`
  prepare(unfinished, text)
  try {
    linkSync(unfinished, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(unfinished, { force: true })
  }
  syncFolder(dirname(path))
  return true
}

/** Writes the text to disk and reads it back. */
function prepare(path: string, text: string, mode = 0o600): void {
  rmSync(path, { force: true })
  const opened = openSync(path, 'wx', 0o600)
  try {
    if (mode !== 0o600) fchmodSync(opened, mode)
    writeFileSync(opened, text)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
  if (readFileSync(path, 'utf8') !== text) throw new Error(`${path} does not hold what was written to it.`)
}

/** Flushes a folder, because a rename is on disk only after that. Windows cannot open folders. */
function syncFolder(dir: string): void {
  if (process.platform === 'win32') return
  const opened = openSync(dir, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

import { closeSync, openSync } from 'node:fs'

/** Creates an empty file that only its owner can read, if the file does not exist. SQLite itself would make it readable for all. */
export function madePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch {
    // Ignore the error here: the next attempt to open the file reports why it cannot be written.
  }
}

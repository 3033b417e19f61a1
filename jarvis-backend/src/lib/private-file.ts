import { closeSync, openSync } from 'node:fs'

/** Creates an empty file that only its owner can read, if there is none; SQLite would make it readable to all. */
export function madePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch {
    // The next one who opens the file reports why it cannot be written.
  }
}

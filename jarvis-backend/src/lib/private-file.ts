import { closeSync, openSync } from 'node:fs'

/** Makes an empty file that its owner alone can read, where there is none: SQLite would let everybody read it. */
export function madePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch {
    // Whoever opens it next says why it cannot be written.
  }
}

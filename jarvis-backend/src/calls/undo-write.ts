import { createHash } from 'node:crypto'
import { JarvisError } from 'protocol'
import type { WriteRecord } from '../tools/memory/memory-tool.ts'
import type { Workspace } from '../workspace/files.ts'
import type { Journal, Transactions } from './ports.ts'

/**
 * Makes a function that takes back a write of `memory_write`. The function throws JarvisError `not_found` if the write is no longer stored,
 * `conflict` if the written text was changed since.
 */
export function createUndoWrite(parts: {
  /** Returns the workspace of a written file, and its path there. @throws JarvisError `not_found` if the file's agent no longer exists */
  placeOf(path: string): { workspace: Pick<Workspace, 'read' | 'write' | 'remove'>; path: string }
  writes: { get(id: string): WriteRecord | undefined; remove(id: string): void }
  journal: Journal
  transactions: Pick<Transactions, 'durably'>
}): (writeId: string, by: string) => void {
  const { writes, journal, transactions } = parts
  return (writeId, by) => {
    const write = writes.get(writeId)
    if (write === undefined) throw new JarvisError('not_found', 'This write cannot be taken back any more.')
    const { workspace, path } = parts.placeOf(write.path)
    const { text, checksum } = workspace.read(path)
    // Text that was added below since is kept, such as the lesson of the same run.
    const later = textAfter(text, write.checksum)
    if (later === undefined) throw changedSince(path)
    const rest = `${write.before ?? ''}${later}`.replace(/^\n+/, '')
    if (rest === '') workspace.remove(path)
    else {
      try {
        workspace.write(path, rest, checksum)
      } catch (error) {
        throw error instanceof JarvisError && error.code === 'conflict' ? changedSince(path) : error
      }
    }
    transactions.durably(() => {
      writes.remove(writeId)
      journal.append('memory', { change: 'undone', path: write.path, by })
    })
  }
}

/** The rest of `text` after the lines at its beginning that have the SHA-256 `checksum`; undefined if there are no such lines. */
export function textAfter(text: string, checksum: string): string | undefined {
  const hash = createHash('sha256')
  let taken = 0
  while (taken < text.length) {
    const lineEnd = text.indexOf('\n', taken)
    const end = lineEnd === -1 ? text.length : lineEnd + 1
    hash.update(text.slice(taken, end))
    taken = end
    if (hash.copy().digest('hex') === checksum) return text.slice(taken)
  }
  return undefined
}

const changedSince = (path: string) =>
  new JarvisError('conflict', `${path} was changed since. Take the line out of it by hand.`)

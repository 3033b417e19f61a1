import type { CheckpointFile } from 'protocol'
import { JarvisError } from 'protocol'
import type { WriteRecord } from '../tools/memory/memory-tool.ts'
import type { Workspace } from '../workspace/files.ts'
import type { Journal, Transactions } from './ports.ts'
import { textAfter } from './undo-write.ts'

type Write = { id: string; path: string }
/** A file's content after writes are taken back. `ids`: the writes that are taken back. */
type Back = { path: string; text: string; checksum: string; ids: string[] }

/** Takes several writes back at once. Each file is restored either completely or not at all. Both methods expect the newest write first. */
export function createRestoreFiles(parts: {
  workspace: Pick<Workspace, 'list' | 'read' | 'write' | 'remove'>
  writes: { get(id: string): WriteRecord | undefined; remove(id: string): void }
  journal: Journal
  transactions: Pick<Transactions, 'durably'>
}) {
  const { workspace, writes, journal, transactions } = parts

  /** Returns the earlier content of a file. @returns a sentence if the file cannot be restored */
  function backOf(path: string, ids: readonly string[]): Back | string {
    if (!workspace.list().some((file) => file.path === path)) return 'The file is gone.'
    const { text, checksum } = workspace.read(path)
    let now = text
    for (const id of ids) {
      const write = writes.get(id)
      if (write === undefined) return 'It was taken back before, or what stood there is not kept any more.'
      const later = textAfter(now, write.checksum)
      if (later === undefined) return 'It was edited since.'
      now = `${write.before ?? ''}${later}`.replace(/^\n+/, '')
    }
    return { path, text: now, checksum, ids: [...ids] }
  }

  function each(wanted: readonly Write[], act: (back: Back) => void): CheckpointFile[] {
    const paths = new Map<string, string[]>()
    for (const { id, path } of wanted) paths.set(path, [...(paths.get(path) ?? []), id])
    return [...paths].map(([path, ids]) => {
      const back = backOf(path, ids)
      if (typeof back === 'string') return { path, writes: ids.length, goesBack: false, because: back }
      try {
        act(back)
      } catch (error) {
        if (!(error instanceof JarvisError)) throw error
        return { path, writes: ids.length, goesBack: false, because: error.message }
      }
      return { path, writes: ids.length, goesBack: true }
    })
  }

  return {
    preview: (wanted: readonly Write[]) => each(wanted, () => {}),
    /**
     * Restores each file before it deletes the records of the writes. If the process dies in between, the writes can still be taken back, which then
     * changes nothing.
     */
    restore: (wanted: readonly Write[], by: string) =>
      each(wanted, ({ path, text, checksum, ids }) => {
        if (text === '') workspace.remove(path)
        else workspace.write(path, text, checksum)
        transactions.durably(() => {
          for (const id of ids) writes.remove(id)
          journal.append('memory', { change: 'undone', path, by })
        })
      }),
  }
}

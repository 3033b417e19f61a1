import { Mistake } from '../../gate/index.ts'
import { entryAt } from './apply.ts'
import type { ContentStore } from './content-store.ts'
import { type Edit, edited } from './edits.ts'
import { type Entry, type FileChange, none, shownPath } from './entry.ts'
import { type Looked, lookAt } from './look.ts'
import type { RootAt } from './walk.ts'

export type Wanted = { rootName: string; path: string; hash: string | undefined } & (
  | { content: string }
  | { edits: readonly Edit[] }
)

const newFile = 0o644
const newFolder = 0o755
/** The digits of a hash that a model gets and sends back. */
export const shownHash = (hash: string): string => hash.slice(0, 16)

/**
 * Returns the changes that a write or an edit makes: to the file, and to missing parent folders. Stores the file's old and new bytes.
 * @throws Mistake if `wanted.hash` is missing or is not the hash of the file, or if an edit does not fit; the errors of `lookAt`
 */
export function planned(wanted: Wanted, root: RootAt, store: Pick<ContentStore, 'keep'>): FileChange[] {
  const { rootName, path, hash } = wanted
  const shown = shownPath({ root: root.name, path })
  const looked = lookAt(root, path)
  if (looked.kind === 'folder') throw new Mistake(`path: ${shown} is a folder.`)
  if (looked.kind === 'none' && (hash !== undefined || 'edits' in wanted))
    throw new Mistake(`path: there is no file ${shown}. write_file without hash makes a new one.`)
  if (looked.kind === 'file') {
    if (hash === undefined)
      throw new Mistake(`hash: ${shown} is there already. Read it, and give the hash that read_file shows.`)
    if (!looked.entry.hash.startsWith(hash))
      throw new Mistake(
        `hash: ${shown} is another than was read: it is ${shownHash(looked.entry.hash)} now. Read it again.`,
      )
    if (looked.bytes !== undefined) store.keep(looked.bytes)
  }
  const bytes = 'content' in wanted ? Buffer.from(wanted.content) : edited(wholeOf(looked, shown), wanted.edits)
  const kept = store.keep(bytes)
  if (kept === undefined) throw new Mistake(`content: ${shown} would be over 20 MB.`)
  const old: Entry = looked.kind === 'file' ? looked.entry : none
  const made: Entry = { kind: 'file', hash: kept, mode: old.kind === 'file' ? old.mode : newFile }
  if (old.kind === 'file' && old.hash === kept)
    throw new Mistake(`${shown} holds exactly this already. Nothing is changed.`)
  return [...missingFolders(rootName, root, path), { root: rootName, path, old, new: made }]
}

function wholeOf(looked: Looked, shown: string): Buffer {
  if (looked.kind === 'file' && looked.bytes !== undefined) return looked.bytes
  throw new Mistake(`path: ${shown} is over 20 MB, which is too large to edit.`)
}

function missingFolders(rootName: string, root: RootAt, path: string): FileChange[] {
  const parts = path.split('/').slice(0, -1)
  return parts.flatMap((_, at): FileChange[] => {
    const folder = parts.slice(0, at + 1).join('/')
    if (entryAt(root, folder).kind !== 'none') return []
    return [{ root: rootName, path: folder, old: none, new: { kind: 'folder', mode: newFolder } }]
  })
}

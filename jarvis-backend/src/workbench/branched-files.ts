import { existsSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckpointFile, JarvisError } from 'protocol'
import { addFileAt } from './files/add-file.ts'
import type { Applier } from './files/applier.ts'
import { entryAt } from './files/apply.ts'
import { type FileChange, isSame } from './files/entry.ts'
import { isSessionRoot, sessionRootName } from './files/root-of.ts'
import { filesBelow } from './files/tree.ts'
import { bytesOf, type RootAt, withFile, within } from './files/walk.ts'

/** A call after the point of a branch, with the files that it wrote in the session's folder. */
export type LaterCall = { toolUseId: string; files: readonly string[] }

export type BranchedFilesParts = {
  /** The folder that has a folder for each session. */
  home: string
  /** Finds the root of a session's folder, and makes the folder if it is missing. */
  rootOf(name: string): RootAt
  changesOf(callId: string): FileChange[]
  applier: Pick<Applier, 'apply'>
  /** Returns false if so many bytes more would leave the disk too full. */
  hasRoomFor(bytes: number): boolean
}

const edited = 'It was edited since by something else, so the branch has it as it stands now.'
const unknown = 'What it was before is not known, so the branch has it as it stands now.'
/** Folders of files that came from elsewhere. Such a file has a new name, so its call made it. */
const madeByCall = /^(?:downloads|received)\//
/** The most bytes of a folder that a branch copies. */
const mostBytes = 500 * 1024 ** 2
const never = new AbortController().signal

/**
 * Gives a branch a copy of the session's folder, without what later calls did there. The session that was branched keeps its folder as it is. Only
 * files are copied, each through its open folder, because commands may change the folder meanwhile. Links and `.git` are left out.
 * @param later calls after the point of the branch, the newest first @returns the files of the copy that could not go back, or the folder if it was not copied
 */
export async function branchedFiles(
  { home, rootOf, changesOf, applier, hasRoomFor }: BranchedFilesParts,
  { from, to, later }: { from: string; to: string; later: readonly LaterCall[] },
): Promise<CheckpointFile[]> {
  if (!existsSync(join(home, from))) return []
  const source: RootAt = { name: 'session', path: join(home, from), write: false, own: [] }
  const { files: all, isCut } = await filesBelow(source, '', { isClosed: () => false, signal: never })
  const bytes = all.reduce((sum, { size }) => sum + size, 0)
  if (isCut || bytes > mostBytes || !hasRoomFor(bytes)) {
    const because = 'The folder is too large for the disk or for a copy, so the branch begins without its files.'
    return [{ path: 'session', writes: 1, goesBack: false, because }]
  }
  const root = rootOf(sessionRootName(to))
  for (const { path } of all) copyFile(source, root, path)
  const kept = new Map<string, string>()
  const keeps = (path: string, because: string) => void kept.set(`session/${path}`, because)
  for (const { toolUseId, files } of later) {
    const changes = changesOf(toolUseId).filter((change) => isSessionRoot(change.root))
    const changed = new Set(changes.map(({ path }) => path))
    for (const path of files.filter((one) => !changed.has(one))) {
      if (madeByCall.test(path)) removeFile(root, path)
      else keeps(path, unknown)
    }
    for (const { path, old, new: made } of changes.toReversed()) {
      if (old.kind === 'folder' || made.kind === 'folder' || isSame(entryAt(root, path), old)) continue
      if (!isSame(entryAt(root, path), made)) {
        keeps(path, edited)
        continue
      }
      const back: FileChange = { root: sessionRootName(to), path, old: made, new: old }
      try {
        await applier.apply(`${to} ${toolUseId} ${path}`, [back], new AbortController().signal)
      } catch (error) {
        if (!(error instanceof JarvisError)) throw error
        keeps(path, error.message)
      }
    }
  }
  return [...kept].map(([path, because]) => ({ path, writes: 1, goesBack: false, because }))
}

const removeFile = (root: RootAt, path: string) =>
  within(root, path, ({ dir, name }) => {
    if (entryAt(root, path).kind === 'file') unlinkSync(`${dir}/${name}`)
  })

function copyFile(from: RootAt, to: RootAt, path: string): void {
  const read = within(from, path, (held) =>
    withFile(held, path, (file, { mode }) => ({ bytes: bytesOf(file, mostBytes), mode: mode & 0o777 })),
  )
  if (read?.bytes !== undefined) addFileAt(to, path, { bytes: read.bytes, mode: read.mode })
}

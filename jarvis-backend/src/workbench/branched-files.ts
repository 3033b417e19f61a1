import { existsSync, unlinkSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { type CheckpointFile, JarvisError } from 'protocol'
import type { Applier } from './files/applier.ts'
import { entryAt } from './files/apply.ts'
import { type FileChange, isSame } from './files/entry.ts'
import { sessionRootName } from './files/root-of.ts'
import { type RootAt, within } from './files/walk.ts'

/** A call after the point of a branch, with the files that it wrote in the session's folder. */
export type LaterCall = { toolUseId: string; files: readonly string[] }

export type BranchedFilesParts = {
  /** The folder that has a folder for each session. */
  home: string
  /** Finds the root of a session's folder, and makes the folder if it is missing. */
  rootOf(name: string): RootAt
  changesOf(callId: string): FileChange[]
  applier: Pick<Applier, 'apply'>
}

const edited = 'It was edited since by something else, so the branch has it as it stands now.'

/**
 * Gives a branch a copy of the session's folder, without what later calls did there. The session that was branched keeps its folder as it is.
 * @param later calls after the point of the branch, the newest first @returns the files of the copy that could not go back
 */
export async function branchedFiles(
  { home, rootOf, changesOf, applier }: BranchedFilesParts,
  { from, to, later }: { from: string; to: string; later: readonly LaterCall[] },
): Promise<CheckpointFile[]> {
  if (!existsSync(join(home, from))) return []
  const root = rootOf(sessionRootName(to))
  await cp(join(home, from), root.path, { recursive: true, verbatimSymlinks: true })
  const kept = new Map<string, string>()
  const keeps = (path: string, because: string) => void kept.set(`session/${path}`, because)
  for (const { toolUseId, files } of later) {
    const changes = changesOf(toolUseId).filter((change) => change.root === sessionRootName(from))
    // A file that came from elsewhere had a new name, so its call made it.
    if (changes.length === 0) for (const path of files) removeFile(root, path)
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

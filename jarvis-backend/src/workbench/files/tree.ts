import { lstatSync, readdirSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { type RootAt, within } from './walk.ts'

export type TreeFile = { path: string; size: number; changedAt: number }
export type Tree = { files: TreeFile[]; isCut: boolean }

const most = { files: 20_000, ms: 8_000, depth: 40 }

/**
 * All files below a folder of a root, by path. Links are not followed. `.git` and entries for which `isClosed` returns true are left out.
 * @param path relative to the root @param isClosed returns true if a file or folder may not be read
 */
export async function filesBelow(
  root: RootAt,
  path: string,
  { isClosed, signal }: { isClosed(path: string): boolean; signal: AbortSignal },
): Promise<Tree> {
  const files: TreeFile[] = []
  const endsAt = Date.now() + most.ms
  let isCut = false
  let looked = 0
  async function visit(folder: string, depth: number): Promise<void> {
    signal.throwIfAborted()
    const found = entriesOf(root, folder)
    looked += 1
    // Other work of the process must not wait for a large tree.
    if (looked % 50 === 0) await setImmediate()
    for (const { name, kind, size, changedAt } of found) {
      if (files.length >= most.files || Date.now() > endsAt || depth > most.depth) {
        isCut = true
        return
      }
      const at = folder === '' ? name : `${folder}/${name}`
      if (name === '.git' || isClosed(at)) continue
      if (kind === 'folder') await visit(at, depth + 1)
      else files.push({ path: at, size, changedAt })
    }
  }
  await visit(path, 0)
  return { files, isCut }
}

type Found = { name: string; kind: 'file' | 'folder'; size: number; changedAt: number }

/** The entries of a folder; empty if the folder cannot be read or is JARVIS's own. */
function entriesOf(root: RootAt, folder: string): Found[] {
  try {
    const found = within(root, folder === '' ? '' : `${folder}/x`, ({ dir }) =>
      readdirSync(dir, { withFileTypes: true }).flatMap((entry): Found[] => {
        if (!entry.isFile() && !entry.isDirectory()) return []
        const stat = lstatSync(`${dir}/${entry.name}`, { throwIfNoEntry: false })
        if (stat === undefined) return []
        const kind = stat.isDirectory() ? 'folder' : 'file'
        return stat.isFile() || stat.isDirectory()
          ? [{ name: entry.name, kind, size: stat.size, changedAt: Math.round(stat.mtimeMs) }]
          : []
      }),
    )
    return (found ?? []).sort((one, other) => (one.name < other.name ? -1 : 1))
  } catch {
    return []
  }
}

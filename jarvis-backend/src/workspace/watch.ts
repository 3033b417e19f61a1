import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'

const deepest = 4

/**
 * Calls `changed` after any change in a folder and its subfolders, without following links. Watches each folder separately, because Node's recursive
 * watch reads a whole folder again for each new file, which can block for minutes.
 */
export function watchFolders(root: string, changed: () => void, failed: (error: unknown) => void) {
  let watchers = new Map<string, FSWatcher>()

  /** Updates the watched folders. A folder that was removed and created again counts as another folder. */
  function refresh() {
    const before = watchers
    watchers = new Map()
    visit(root, 1, before)
    for (const gone of before.values()) gone.close()
  }

  function visit(folder: string, depth: number, before: Map<string, FSWatcher>) {
    try {
      const { ino, birthtimeMs } = statSync(folder)
      // The key has more than the inode, because the inode of a removed folder may soon be reused.
      const key = `${ino} ${birthtimeMs} ${folder}`
      const watcher = before.get(key) ?? watch(folder, () => changed()).on('error', () => {})
      before.delete(key)
      watchers.set(key, watcher)
      if (depth === deepest) return
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory()) visit(join(folder, entry.name), depth + 1, before)
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') failed(error)
    }
  }
  refresh()

  return {
    /** Watches folders that were created since. */
    refresh,
    close() {
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

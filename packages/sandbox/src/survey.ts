import { type Dirent, lstatSync, opendirSync } from 'node:fs'
import { join } from 'node:path'
import { mostOfTree } from './held-tree.ts'

/** The result of looking through a folder before a command runs on it. Paths are relative to the folder. */
export type Survey = {
  bytes: number
  /** Some entries belong to another user or group, so an overlay cannot change them. */
  hasForeign: boolean
  /** Folders and files named `.git`. */
  repositories: string[]
  secrets: { path: string; isFolder: boolean }[]
}

const mostEntries = 20_000

/**
 * Counts the bytes of a folder, and finds the entries that a command may not read or not change. Follows no link.
 * @param isSecret gets an absolute path, and returns true if the entry may hold secrets
 * @returns `undefined` if the folder has more than 20,000 entries, or is nested deeper than a command's effect may be
 */
export function surveyOf(folder: string, isSecret: (path: string) => boolean): Survey | undefined {
  const survey: Survey = { bytes: 0, hasForeign: false, repositories: [], secrets: [] }
  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  let entries = 0
  const open = [{ path: '', depth: 1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.depth > mostOfTree.depth) return undefined
    for (const entry of entriesOf(join(folder, next.path), mostEntries - entries)) {
      entries += 1
      if (entries > mostEntries) return undefined
      const at = join(next.path, entry.name)
      const full = join(folder, at)
      const stat = lstatSync(full)
      survey.bytes += stat.size
      survey.hasForeign ||= stat.uid !== uid || stat.gid !== gid
      // A link to a secret shows nothing, because its target is not mounted.
      if (!entry.isSymbolicLink() && isSecret(full)) survey.secrets.push({ path: at, isFolder: entry.isDirectory() })
      else if (entry.name === '.git') survey.repositories.push(at)
      else if (entry.isDirectory()) open.push({ path: at, depth: next.depth + 1 })
    }
  }
  return survey
}

/** The entries of a folder, at most one more than `most`, because a folder may hold any number. */
function entriesOf(path: string, most: number): Dirent[] {
  const found: Dirent[] = []
  const folder = opendirSync(path)
  try {
    for (let entry = folder.readSync(); entry !== null && found.length <= most; entry = folder.readSync())
      found.push(entry)
  } finally {
    folder.closeSync()
  }
  return found
}

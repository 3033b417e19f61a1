import { type Dirent, lstatSync, opendirSync } from 'node:fs'
import { join } from 'node:path'
import { mostOfTree } from '../files/held-tree.ts'

/** A look through a folder before a command runs over it. Paths are relative to it. */
export type Survey = {
  bytes: number
  /** Some of it belongs to another user or group, so an overlay could not take a change of it. */
  hasForeign: boolean
  /** Folders and files named `.git`. */
  repositories: string[]
  secrets: { path: string; isFolder: boolean }[]
}

const mostEntries = 20_000

/**
 * Counts what is in a folder and finds what a command may not read or not change. Follows no link.
 * @param isSecret judges an absolute path
 * @returns `undefined` for more than 20,000 entries or folders that are deeper than what is read of a command's effect
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
      // A link opens nothing: its target is not mounted.
      if (!entry.isSymbolicLink() && isSecret(full)) survey.secrets.push({ path: at, isFolder: entry.isDirectory() })
      else if (entry.name === '.git') survey.repositories.push(at)
      else if (entry.isDirectory()) open.push({ path: at, depth: next.depth + 1 })
    }
  }
  return survey
}

/** One more than `most` at most: a folder may hold any number. */
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

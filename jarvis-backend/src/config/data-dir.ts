import { accessSync, chmodSync, constants, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { networkDiskOf, networkDiskWords } from '../lib/network-disk.ts'
import { ConfigError } from './config.ts'

const others = 0o077
const stickyBit = 0o1000
/** False on Windows, which has no Unix file modes. */
const hasModes = process.platform !== 'win32'

/**
 * Creates the data dir if needed, and removes other accounts' access to it and its files, because a folder made by hand is often open to all. @param
 * warn called with a message if others can still read something, and if the folder is on a network disk. @throws ConfigError if the folder cannot be
 * written
 */
export function openDataDir(path: string, warn: (text: string) => void = () => {}): string {
  try {
    mkdirSync(join(path, 'workspace'), { recursive: true, mode: 0o700 })
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    const open = hasModes ? stillOpen(path) : []
    if (open.length > 0) {
      const which = open.slice(0, 3).join(', ')
      warn(`Others on this machine can read ${which}, and JARVIS may not change that: run chown and chmod go= on it.`)
    }
    const disk = networkDiskOf(path)
    if (disk !== undefined) warn(`${networkDiskWords(path, disk)}.`)
    return path
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ConfigError(
      `JARVIS_DATA_DIR ${path} cannot be written (${why}). Choose a folder you own, for example JARVIS_DATA_DIR=~/.jarvis.`,
    )
  }
}

/** Removes other accounts' access to the folder, its entries and the journal's files. @returns the entries that stayed open */
function stillOpen(path: string): string[] {
  // A folder with the sticky bit, such as /tmp, is shared on purpose and stays open.
  const isEverybodys = (lstatSync(path).mode & stickyBit) !== 0
  const inside = [path, join(path, 'journal')].flatMap((dir) => namesIn(dir).map((name) => join(dir, name)))
  return [...(isEverybodys ? [] : [path]), ...inside].filter((entry) => !isClosed(entry))
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

function isClosed(entry: string): boolean {
  try {
    const stat = lstatSync(entry)
    // A symbolic link has no mode of its own, and its target may be meant for others.
    if (stat.isSymbolicLink() || (stat.mode & others) === 0) return true
    chmodSync(entry, stat.mode & 0o700)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

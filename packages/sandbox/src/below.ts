import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs'
import { quoted } from 'redaction/visible'
import { Unreadable } from './held-tree.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
/** O_PATH, for which Node has no constant. */
const pathOnly = 0x200000

/** A file system entry. `hash`: SHA-256 of the bytes, hex. `mode`: the nine permission bits. */
export type Entry =
  | { kind: 'none' }
  | { kind: 'file'; hash: string; mode: number }
  | { kind: 'link'; to: string }
  | { kind: 'folder'; mode: number }

/** Reads the real folder, which other programs may change at the same time. */
export type Below = {
  entry(path: string): Entry
  names(path: string): string[]
  /** The time when the entry was last written or renamed, Unix ms; 0 if there is no entry. */
  changedAt(path: string): number
}

/** The largest file that is compared, bytes. Nothing else in the process runs during the comparison. */
export const mostHashed = 200 * 1024 ** 2
export const tooLargeWords = `holds more than ${mostHashed / 1024 ** 2} MB, and no command changes such a file.`

/**
 * Reads a folder that other programs may change at the same time. Each part of a path is opened without following links, so a link that replaces a
 * folder leads nowhere. An entry of more than 200 MB is an `Unreadable`.
 */
export const belowOf = (folder: string): Below => ({
  entry: (path) => within(folder, path, entryIn) ?? { kind: 'none' },
  // Rounded down to whole milliseconds, like a clock's time: a file that was written in the millisecond in which a command starts counts as written
  // before it.
  changedAt: (path) => Math.floor(within(folder, path, (parent, name) => lstatSync(`${parent}/${name}`).ctimeMs) ?? 0),
  names: (path) => within(folder, `${path}/.`, (parent) => readdirSync(parent)) ?? [],
})

/** Calls `look` with the opened parent folder of a path and the path's last part. @returns `undefined` if a part is missing or is not a folder */
function within<T>(folder: string, path: string, look: (parent: string, name: string) => T): T | undefined {
  const parts = path.split('/').filter((part) => part !== '')
  const name = parts.pop() ?? '.'
  let at: number | undefined
  try {
    at = openSync(folder, O_RDONLY | O_DIRECTORY | pathOnly)
    for (const part of parts) {
      const next = openSync(`/proc/self/fd/${at}/${part}`, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | pathOnly)
      closeSync(at)
      at = next
    }
    return look(`/proc/self/fd/${at}`, name)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  } finally {
    if (at !== undefined) closeSync(at)
  }
}

function entryIn(parent: string, name: string): Entry {
  const full = `${parent}/${name}`
  const stat = lstatSync(full)
  const mode = stat.mode & 0o777
  if (stat.isSymbolicLink()) return { kind: 'link', to: readlinkSync(full) }
  if (stat.isDirectory()) return { kind: 'folder', mode }
  if (!stat.isFile()) return { kind: 'none' }
  if (stat.size > mostHashed) throw new Unreadable(`${quoted(name, 200)} ${tooLargeWords}`)
  return { kind: 'file', hash: hashOf(full), mode }
}

/** Returns the hash of a file. Does not block on a pipe that replaced the file. */
function hashOf(file: string): string {
  const opened = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    return fstatSync(opened).isFile() ? hashOfOpen(opened) : ''
  } finally {
    closeSync(opened)
  }
}

/** Returns the SHA-256 of an open file, hex. Reads 1 MiB at a time, because the file may have up to 200 MB. */
export function hashOfOpen(file: number): string {
  const hash = createHash('sha256')
  const piece = Buffer.alloc(1024 ** 2)
  for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) hash.update(piece.subarray(0, read))
  return hash.digest('hex')
}

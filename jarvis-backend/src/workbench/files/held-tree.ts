import { isUtf8 } from 'node:buffer'
import { chmodSync, closeSync, constants, fstatSync, lstatSync, opendirSync, openSync, type Stats } from 'node:fs'
import type { Steps } from 'node-kit/steps'
import { quoted } from 'redaction/visible'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
/** O_PATH, for which Node has no constant. */
const pathOnly = 0x200000

/**
 * One entry of an open folder. `path`: relative to the tree. `at`: a path that works while the entry is visited. `stat`: for a link, of the link
 * itself.
 */
export type Spot = { path: string; at: string; stat: Stats }

/** Limits of a tree that a command may leave. `depth`: nested folders. */
export const mostOfTree = { entries: 40_000, depth: 100 }
export type MostOfTree = typeof mostOfTree
type Leave = (path: string, names: readonly string[]) => void

/** Thrown if the tree exceeds the limits, a name in it is not valid UTF-8, or something changed it while it was read. */
export class Unreadable extends Error {}

/**
 * Visits all entries that a program left in a folder, a folder before its entries. Each folder is opened without following a link, and its entries
 * are named relative to the open folder, so nothing outside is reached, even if entries are swapped meanwhile. Folders that their owner may not read
 * are made readable.
 * @param leave called after all entries of a folder were visited, with their names @throws Unreadable
 */
export function* heldTree(
  root: string,
  visit: (spot: Spot) => void,
  { leave = () => undefined, most = mostOfTree }: { leave?: Leave; most?: MostOfTree } = {},
): Steps<void> {
  let entries = 0
  function* within(fd: number, path: string, depth: number): Steps<void> {
    if (depth > most.depth) throw new Unreadable(`It nests more than ${most.depth} folders in each other.`)
    const names: string[] = []
    for (const name of namesIn(fd)) {
      entries += 1
      if (entries > most.entries)
        throw new Unreadable(`It leaves more than ${most.entries.toLocaleString('en')} files and folders.`)
      names.push(name)
    }
    for (const name of names) {
      yield
      const spot: Spot = { path: path === '' ? name : `${path}/${name}`, ...statAt(`/proc/self/fd/${fd}/${name}`) }
      visit(spot)
      if (spot.stat.isDirectory()) yield* inFolder(spot.at, (inner) => within(inner, spot.path, depth + 1))
    }
    leave(path, names)
  }
  try {
    yield* inFolder(root, (fd) => within(fd, '', 1))
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    throw new Unreadable('It was changed while it was read.')
  }
}

const statAt = (at: string) => ({ at, stat: lstatSync(at) })

/** The names in an open folder. @throws Unreadable for a name that is not valid UTF-8, because no later call could use it */
function* namesIn(fd: number): Generator<string> {
  // Node's types do not declare this encoding of names.
  const folder = opendirSync(`/proc/self/fd/${fd}`, { encoding: 'buffer' as 'utf8' })
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      const name: unknown = entry.name
      if (!Buffer.isBuffer(name) || !isUtf8(name))
        throw new Unreadable(`The name ${quoted(String(name), 80)} is no text.`)
      yield name.toString()
    }
  } finally {
    folder.closeSync()
  }
}

function* inFolder(at: string, work: (fd: number) => Steps<void>): Steps<void> {
  const fd = opened(at, O_DIRECTORY, 0o700)
  try {
    yield* work(fd)
  } finally {
    closeSync(fd)
  }
}

/** Calls `read` with an opened file of the tree. @returns undefined if the entry is no longer a file */
export function withHeldFile<T>({ at }: Pick<Spot, 'at'>, read: (file: number) => T): T | undefined {
  const fd = opened(at, 0, 0o400)
  try {
    return fstatSync(fd).isFile() ? read(fd) : undefined
  } finally {
    closeSync(fd)
  }
}

/**
 * Opens the entry itself for reading, and never the target of a link. @param needed permission bits of the owner, which are added if they are
 * missing
 */
function opened(at: string, flags: number, needed: number): number {
  const held = openSync(at, flags | O_NOFOLLOW | pathOnly)
  try {
    const stat = fstatSync(held)
    const self = `/proc/self/fd/${held}`
    const isOfKind = flags === O_DIRECTORY ? stat.isDirectory() : stat.isFile()
    // Only files and folders are opened for reading, because opening a pipe or a device may block or have an effect.
    if (!isOfKind) return openSync('/dev/null', O_RDONLY)
    if ((stat.mode & needed) !== needed) chmodSync(self, (stat.mode & 0o777) | needed)
    return openSync(self, O_RDONLY | flags)
  } finally {
    closeSync(held)
  }
}

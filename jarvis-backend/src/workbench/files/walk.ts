import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs'
import { JarvisError } from 'protocol'
import { isWithin } from '../../gate/index.ts'
import { type Entry, none } from './entry.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/** A root to be opened. `own`: absolute paths of JARVIS's own files, which cannot be reached through the root. */
export type RootAt = { name: string; path: string; write: boolean; own: readonly string[] }

/**
 * The open folder that holds a path. `dir`: a path to the folder that stays valid after a rename. `fd`: its file descriptor, used to flush it.
 * `name`: the last part of the path.
 */
export type Held = { dir: string; fd: number; name: string }

const refuse = (text: string) => new JarvisError('invalid_request', text)

/**
 * Opens the folder that holds a path, part by part. No part may be a link. If a part is swapped meanwhile, this has no effect, because each part is
 * opened relative to the folder that is open already. The caller closes `fd`.
 * @param path relative to the root; empty: the root itself, with the name `.`
 * @returns undefined if a folder of the path is missing
 * @throws JarvisError `invalid_request` if a part is a link, is not a folder, or is JARVIS's own; `not_found` if the root does not exist
 */
export function hold(root: RootAt, path: string): Held | undefined {
  const parts = path.split('/').filter((part) => part !== '')
  if (parts.some((part) => part === '.' || part === '..' || part.includes('\0')))
    throw refuse(`${path} goes up or holds a part that is no name.`)
  const name = parts.pop() ?? '.'
  let fd = openRoot(root)
  let isHeld = false
  try {
    for (const [at, part] of parts.entries()) {
      const next = openPart(fd, part, `${root.name}/${parts.slice(0, at + 1).join('/')}`)
      if (next === undefined) return undefined
      closeSync(fd)
      fd = next
    }
    const dir = `/proc/self/fd/${fd}`
    const real = readlinkSync(dir)
    const full = name === '.' ? real : `${real === '/' ? '' : real}/${name}`
    if (root.own.some((own) => isWithin(full, own)))
      throw refuse(`${root.name}/${path} is one of JARVIS’s own files, which no root reaches.`)
    isHeld = true
    return { dir, fd, name }
  } finally {
    if (!isHeld) closeSync(fd)
  }
}

/** Calls `work` with the open folder that holds a path, then closes the folder. @returns undefined if a folder of the path is missing @see hold */
export function within<T>(root: RootAt, path: string, work: (held: Held) => T): T | undefined {
  const held = hold(root, path)
  if (held === undefined) return undefined
  try {
    return work(held)
  } finally {
    closeSync(held.fd)
  }
}

function openRoot({ name, path }: RootAt): number {
  try {
    return openSync(path, O_RDONLY | O_DIRECTORY)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'is not there' : code === 'ENOTDIR' ? 'is no folder' : `cannot be opened (${code})`
    throw new JarvisError('not_found', `The root ${name}, ${path}, ${why}.`)
  }
}

function openPart(fd: number, part: string, shown: string): number | undefined {
  try {
    return openSync(`/proc/self/fd/${fd}/${part}`, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ENOTDIR' || code === 'ELOOP')
      throw refuse(`${shown} is a link or no folder. Links are not followed, because they may lead out of the root.`)
    throw refuse(`${shown} cannot be opened (${code}).`)
  }
}

/** Opens a file without following a link or waiting for a pipe. @returns undefined if there is no such file */
export function withFile<T>(
  { dir, name }: Held,
  shown: string,
  read: (file: number, stats: Stats) => T,
): T | undefined {
  let file: number
  try {
    file = openSync(`${dir}/${name}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP') throw refuse(`${shown} is a link, and links are not followed.`)
    throw refuse(`${shown} cannot be opened (${code}).`)
  }
  try {
    return read(file, fstatSync(file))
  } finally {
    closeSync(file)
  }
}

/** The bytes of an open file. @param most the limit, bytes @returns undefined if the file is larger */
export function bytesOf(file: number, most: number): Buffer | undefined {
  const pieces: Buffer[] = []
  let filled = 0
  for (;;) {
    // The buffer is small because most files are small: filling a megabyte with zeros takes longer than reading such a file.
    const piece = Buffer.allocUnsafe(Math.min(64 * 1024, most + 1 - filled))
    const got = readSync(file, piece)
    if (got === 0) return Buffer.concat(pieces)
    filled += got
    if (filled > most) return undefined
    pieces.push(piece.subarray(0, got))
  }
}

/** Reads the entry of a name in an open folder. @throws JarvisError `invalid_request` for a device, pipe or socket */
export function entryIn(held: Held, shown: string): Entry {
  const full = `${held.dir}/${held.name}`
  const stat = lstatSync(full, { throwIfNoEntry: false })
  if (stat === undefined) return none
  const mode = stat.mode & 0o777
  if (stat.isSymbolicLink()) return { kind: 'link', to: readlinkSync(full) }
  if (stat.isDirectory()) return { kind: 'folder', mode }
  const read = stat.isFile() ? withFile(held, shown, hashed) : undefined
  if (read === undefined) throw refuse(`${shown} is a device, a pipe or a socket.`)
  return read
}

function hashed(file: number, stats: Stats): Entry | undefined {
  if (!stats.isFile()) return undefined
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(Math.max(1, Math.min(1024 ** 2, stats.size)))
  for (let got = readSync(file, piece); got > 0; got = readSync(file, piece)) hash.update(piece.subarray(0, got))
  return { kind: 'file', hash: hash.digest('hex'), mode: stats.mode & 0o777 }
}

/** The names in a folder of a root; empty if there is no such folder. */
export const namesIn = (root: RootAt, path: string): string[] =>
  within(root, path === '' ? '' : `${path}/x`, ({ dir }) => readdirSync(dir)) ?? []

export const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

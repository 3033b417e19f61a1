import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs'
import type { Below, Entry } from './changes.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
/** O_PATH, which Node does not name. */
const pathOnly = 0x200000

/** Reads a folder that others may change meanwhile, part by part, so that a link put in place of a folder leads nowhere. */
export const belowOf = (folder: string): Below => ({
  entry: (path) => within(folder, path, entryIn) ?? { kind: 'none' },
  changedAt: (path) => within(folder, path, (parent, name) => lstatSync(`${parent}/${name}`).ctimeMs) ?? 0,
  names: (path) => within(folder, `${path}/.`, (parent) => readdirSync(parent)) ?? [],
})

/** Calls `look` with the open parent of a path, and the last part. @returns `undefined` where a part is missing or no folder */
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
  return { kind: 'file', hash: hashOf(full), mode }
}

/** In pieces, as a file may be larger than what is kept of it. Never waits for a pipe that took the file's place. */
export function hashOf(file: string): string {
  const hash = createHash('sha256')
  const opened = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    if (!fstatSync(opened).isFile()) return ''
    const piece = Buffer.alloc(1024 ** 2)
    for (let read = readSync(opened, piece); read > 0; read = readSync(opened, piece))
      hash.update(piece.subarray(0, read))
  } finally {
    closeSync(opened)
  }
  return hash.digest('hex')
}

import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { Steps } from '../../lib/steps.ts'
import { quoted } from '../../redaction/visible.ts'
import { hashOf } from './below.ts'

/** What stands at a path. `hash`: SHA-256 of the bytes, in hex. `mode`: the nine bits of permissions. */
export type Entry =
  | { kind: 'none' }
  | { kind: 'file'; hash: string; mode: number }
  | { kind: 'link'; to: string }
  | { kind: 'folder'; mode: number }

/** What a command did at one path. `path`: relative to the folder that it ran in. */
export type Change = { path: string; old: Entry; new: Entry }

/** `refused`: why nothing of it may be applied, a sentence each; `changes` is then not complete. */
export type Effect = { changes: Change[]; refused: string[] }

/** Reads the folder itself, which others may change meanwhile. */
export type Below = {
  entry(path: string): Entry
  names(path: string): string[]
  /** When it was last written or renamed, Unix ms; 0 where there is nothing. */
  changedAt(path: string): number
}

/** `keep` stores new bytes. `startedAt`: of the command, Unix ms. `secrets`: paths that were empty for the command. */
export type Over = { below: Below; keep(bytes: Buffer): void; startedAt: number; secrets: ReadonlySet<string> }

export const most = { changes: 500, bytes: 50 * 1024 ** 2 }
const none: Entry = { kind: 'none' }

class Refused extends Error {}

/**
 * The effect of a command from the upper layer of its overlay. A folder that was removed and made anew hides what it held, by an attribute that
 * Node cannot read, so `visible` says which names are left.
 */
export function changesInUpper(upper: string, over: Over, visible: (path: string) => readonly string[]): Steps<Effect> {
  const { below } = over
  const found = collector(over)
  function* walk(path: string): Steps<void> {
    for (const name of readdirSync(join(upper, path))) {
      yield
      const at = path === '' ? name : `${path}/${name}`
      const stat = lstatSync(join(upper, at))
      // A device 0:0 stands for what was deleted.
      if (stat.isCharacterDevice() && stat.rdev === 0) found.removed(at)
      else {
        found.now(at, join(upper, at), stat)
        if (stat.isDirectory()) yield* walk(at)
      }
    }
    if (path === '' || over.secrets.has(path) || below.entry(path).kind !== 'folder') return
    const left = new Set(visible(path))
    for (const name of below.names(path)) if (!left.has(name)) found.removed(`${path}/${name}`)
  }
  return found.over(walk(''))
}

/** The same from a copy of the folder, where everything has to be compared. */
export function changesInCopy(copy: string, over: Over): Steps<Effect> {
  const { below } = over
  const found = collector(over)
  function* walk(path: string): Steps<void> {
    const names = readdirSync(join(copy, path))
    for (const name of names) {
      yield
      const at = path === '' ? name : `${path}/${name}`
      const stat = lstatSync(join(copy, at))
      found.now(at, join(copy, at), stat)
      if (stat.isDirectory()) yield* walk(at)
    }
    if (below.entry(path).kind !== 'folder') return
    for (const name of below.names(path))
      if (!names.includes(name)) found.removed(path === '' ? name : `${path}/${name}`)
  }
  return found.over(walk(''))
}

function collector({ below, keep, startedAt, secrets }: Over) {
  const changes = new Map<string, Change>()
  let bytes = 0
  const add = (path: string, before: Entry, after: Entry) => {
    if (path.split('/').includes('.git'))
      throw new Refused(`It changes ${quoted(path, 200)}, and .git may only be read.`)
    changes.set(path, { path, old: before, new: after })
    if (changes.size > most.changes) throw new Refused(`It changes more than ${most.changes} files.`)
  }
  const removed = (path: string) => {
    if (changes.has(path)) return
    if (secrets.has(path)) throw new Refused(`It removes ${quoted(path, 200)}, which may hold secrets.`)
    const before = below.entry(path)
    if (before.kind === 'folder') for (const name of below.names(path)) removed(`${path}/${name}`)
    if (before.kind !== 'none') add(path, before, none)
  }
  return {
    removed,
    /** @param file where the new content is @throws Refused */
    now(path: string, file: string, stat: Stats) {
      if (secrets.has(path)) {
        if (isEmpty(file, stat)) return
        throw new Refused(`It changes ${quoted(path, 200)}, which may hold secrets.`)
      }
      const before = below.entry(path)
      if (before.kind === 'folder' && !stat.isDirectory())
        for (const name of below.names(path)) removed(`${path}/${name}`)
      const after = entryAt(path, file, stat)
      if (isSame(before, after)) return
      if (after.kind === 'file' && !(before.kind === 'file' && before.hash === after.hash)) {
        bytes += stat.size
        if (bytes > most.bytes) throw new Refused(`It writes more than ${most.bytes / 1024 ** 2} MB.`)
        keep(readFileSync(file))
      }
      add(path, before, after)
    },
    /** The changes in the order of their paths: a folder before what it holds. */
    *over(walk: Steps<void>): Steps<Effect> {
      const sorted = () => [...changes.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
      try {
        yield* walk
        for (const { path, old } of changes.values())
          if (old.kind === 'file' && below.changedAt(path) > startedAt)
            throw new Refused(`${quoted(path, 200)} was changed by something else while the command ran. Run it again.`)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        return { changes: sorted(), refused: [error.message] }
      }
      return { changes: sorted(), refused: [] }
    },
  }
}

/** What a file of ours is. It is made readable first, as a command may have closed it. @throws Refused for what may not be applied */
function entryAt(path: string, file: string, stat: Stats): Entry {
  const named = quoted(path, 200)
  const mode = stat.mode & 0o777
  if (stat.isSymbolicLink()) {
    const to = readlinkSync(file)
    const from = path.split('/').slice(0, -1).join('/')
    if (isAbsolute(to) || leadsOut(from, to)) throw new Refused(`The link ${named} leads out of the folder.`)
    return { kind: 'link', to }
  }
  if (stat.isDirectory()) {
    chmodSync(file, mode | 0o700)
    return { kind: 'folder', mode }
  }
  if (!stat.isFile()) throw new Refused(`${named} is a device, a pipe or a socket.`)
  if ((stat.mode & 0o6000) !== 0) throw new Refused(`${named} would run with another user’s rights.`)
  chmodSync(file, mode | 0o400)
  return { kind: 'file', hash: hashOf(file), mode }
}

/** Whether a relative link leaves the folder on its way, also where it comes back. */
function leadsOut(from: string, to: string): boolean {
  let depth = from === '' ? 0 : from.split('/').length
  for (const part of to.split('/')) {
    if (part === '..') depth -= 1
    else if (part !== '' && part !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}

const isEmpty = (file: string, stat: Stats) =>
  stat.isDirectory() ? readdirSync(file).length === 0 : stat.isFile() && stat.size === 0

const isSame = (a: Entry, b: Entry) => JSON.stringify(a) === JSON.stringify(b)

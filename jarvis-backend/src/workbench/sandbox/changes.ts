import { readFileSync, readlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Steps } from 'node-kit/steps'
import { quoted } from 'redaction/visible'
import { leadsOut } from '../files/entry.ts'
import { heldTree, type Spot, Unreadable, withHeldFile } from '../files/held-tree.ts'
import { hashOfOpen, mostHashed, tooLargeWords } from './below.ts'

/** A file system entry. `hash`: SHA-256 of the bytes, hex. `mode`: the nine permission bits. */
export type Entry =
  | { kind: 'none' }
  | { kind: 'file'; hash: string; mode: number }
  | { kind: 'link'; to: string }
  | { kind: 'folder'; mode: number }

/** A command's change at one path. `path`: relative to the folder that the command ran in. */
export type Change = { path: string; old: Entry; new: Entry }

/** The effect of a command. `refused`: the reasons why none of it may be applied, a sentence each. `changes` is then incomplete. */
export type Effect = { changes: Change[]; refused: string[] }

/** Reads the real folder, which other programs may change at the same time. */
export type Below = {
  entry(path: string): Entry
  names(path: string): string[]
  /** The time when the entry was last written or renamed, Unix ms; 0 if there is no entry. */
  changedAt(path: string): number
}

/**
 * Inputs for comparing. `keep` stores new bytes. `startedAt`: the start of the command, Unix ms. `secrets`: paths that appeared empty to the
 * command.
 */
export type Over = { below: Below; keep(bytes: Buffer): void; startedAt: number; secrets: ReadonlySet<string> }

export const most = { changes: 500, bytes: 50 * 1024 ** 2 }
const none: Entry = { kind: 'none' }

class Refused extends Error {}

/**
 * Reads a command's effect from the upper layer of its overlay. A folder that was removed and made again hides its old entries by an attribute that
 * Node cannot read, so `visible` returns the names that are left. It is called only after the whole layer was readable.
 */
export function changesInUpper(upper: string, over: Over, visible: (path: string) => readonly string[]): Steps<Effect> {
  const { below } = over
  const found = collector(over)
  const visit = (spot: Spot) => {
    // A character device 0:0 in the upper layer marks a deleted entry.
    if (spot.stat.isCharacterDevice() && spot.stat.rdev === 0) found.removed(spot.path)
    else found.now(spot)
  }
  const leave = (path: string) => {
    if (path === '' || over.secrets.has(path) || below.entry(path).kind !== 'folder') return
    const left = new Set(visible(path))
    for (const name of below.names(path)) if (!left.has(name)) found.removed(`${path}/${name}`)
  }
  return found.over(heldTree(upper, visit, { leave }))
}

/** Reads a command's effect from a copy of the folder. Here every entry must be compared. */
export function changesInCopy(copy: string, over: Over): Steps<Effect> {
  const { below } = over
  const found = collector(over)
  const leave = (path: string, names: readonly string[]) => {
    if (below.entry(path).kind !== 'folder') return
    const left = new Set(names)
    for (const name of below.names(path)) if (!left.has(name)) found.removed(path === '' ? name : `${path}/${name}`)
  }
  return found.over(heldTree(copy, found.now, { leave }))
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
    /** Adds the change at a spot. @throws Refused if the change may not be applied */
    now(spot: Spot) {
      const { path, stat } = spot
      if (secrets.has(path) || secrets.has(dirname(path))) {
        // The walk visits the entries of this folder next.
        if (secrets.has(path) && (stat.isDirectory() || (stat.isFile() && stat.size === 0))) return
        throw new Refused(`It changes ${quoted(path, 200)}, which may hold secrets.`)
      }
      const before = below.entry(path)
      if (before.kind === 'folder' && !stat.isDirectory())
        for (const name of below.names(path)) removed(`${path}/${name}`)
      const after = entryAt(spot)
      if (isSame(before, after)) return
      if (after.kind === 'file' && !(before.kind === 'file' && before.hash === after.hash)) {
        bytes += stat.size
        if (bytes > most.bytes) throw new Refused(`It writes more than ${most.bytes / 1024 ** 2} MB.`)
        withHeldFile(spot, (file) => keep(readFileSync(file)))
      }
      add(path, before, after)
    },
    /** Returns the changes in the order of their paths: a folder comes before its entries. */
    *over(walk: Steps<void>): Steps<Effect> {
      const sorted = () => [...changes.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
      try {
        yield* walk
        for (const { path, old } of changes.values())
          if (old.kind === 'file' && below.changedAt(path) > startedAt)
            throw new Refused(`${quoted(path, 200)} was changed by something else while the command ran. Run it again.`)
      } catch (error) {
        if (!(error instanceof Refused || error instanceof Unreadable)) throw error
        return { changes: sorted(), refused: [error.message] }
      }
      return { changes: sorted(), refused: [] }
    },
  }
}

/** Reads the entry at a spot. @throws Refused if the entry may not be applied */
function entryAt(spot: Spot): Entry {
  const { path, at, stat } = spot
  const named = quoted(path, 200)
  const mode = stat.mode & 0o777
  if (stat.isSymbolicLink()) {
    const to = readlinkSync(at)
    if (leadsOut(path, to)) throw new Refused(`The link ${named} leads out of the folder.`)
    return { kind: 'link', to }
  }
  if (stat.isDirectory()) return { kind: 'folder', mode }
  if (stat.size > mostHashed) throw new Refused(`${named} ${tooLargeWords}`)
  if ((stat.mode & 0o6000) !== 0) throw new Refused(`${named} would run with another user’s rights.`)
  const hash = stat.isFile() ? withHeldFile(spot, hashOfOpen) : undefined
  if (hash === undefined) throw new Refused(`${named} is a device, a pipe or a socket.`)
  return { kind: 'file', hash, mode }
}

const isSame = (a: Entry, b: Entry) => JSON.stringify(a) === JSON.stringify(b)

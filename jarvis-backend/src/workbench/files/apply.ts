import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { leadsOut } from 'node-kit/leads-out'
import type { Steps } from 'node-kit/steps'
import { JarvisError } from 'protocol'
import { type Entry, type FileChange, isSame, none, shownPath } from './entry.ts'
import { entryIn, type Held, hold, type RootAt, within } from './walk.ts'

export type ApplyParts = {
  /** Returns the root with this name. @throws JarvisError if there is no such root now */
  rootOf(name: string): RootAt
  /** Returns the bytes of a new file; undefined if they are not stored. */
  read(hash: string): Buffer | undefined
  /** Lets a test stop between two steps. */
  reached?(step: string): void
}

/** `done`: the number of changes made now. `already`: the number of changes that had been made before. */
export type Applied = { done: number; already: number }

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW } = constants

/**
 * Makes a list of changes. Each file is written as a new file that then replaces the old one. The function may be repeated: entries that are new
 * already are left alone. Each file is either old or new at any time, even if the process is killed.
 * It pauses between files and whenever it waits for the disk, so no other list may be applied in between.
 * @param isResumed an earlier process may have stopped in the middle, so an entry that changes its kind may be missing
 * @throws JarvisError before anything is changed: `conflict` if an entry is neither old nor new; `invalid_request` if a part of a path is a link, or
 * a new link would lead out of its root
 */
export function* applyChanges(changes: readonly FileChange[], parts: ApplyParts, isResumed = false): Steps<Applied> {
  const open: FileChange[] = []
  for (const change of changes) {
    if (!isNew(change, survey(change, parts, isResumed))) open.push(change)
    yield
  }
  for (const { root, path } of changes) sweep(parts.rootOf(root), path)
  for (const change of open) {
    mustBeReady(change, changes, parts)
    yield
  }
  const leaving = open.filter(({ old, new: made }) => old.kind !== 'none' && old.kind !== made.kind)
  for (const change of leaving.toSorted(deepestFirst)) {
    yield* at(change, parts, (held) => remove(held, change))
    parts.reached?.(`removed ${change.path}`)
  }
  for (const change of open.filter(({ new: made }) => made.kind !== 'none').toSorted(outermostFirst)) {
    yield* at(change, parts, (held) => put(held, change, parts))
    parts.reached?.(`put ${change.path}`)
  }
  return { done: open.length, already: changes.length - open.length }
}

/** Reads the entry at a path. @throws JarvisError */
export const entryAt = (root: RootAt, path: string): Entry =>
  within(root, path, (held) => entryIn(held, shownPath({ root: root.name, path }))) ?? none

const depth = ({ path }: FileChange) => path.split('/').length
const deepestFirst = (one: FileChange, other: FileChange) => depth(other) - depth(one)
const outermostFirst = (one: FileChange, other: FileChange) => depth(one) - depth(other)

const isNew = ({ new: made }: FileChange, now: Entry) => isSame(now, made)

const moved = (change: FileChange, why: string) =>
  new JarvisError('conflict', `${shownPath(change)} ${why}. Nothing more was changed: look at it and ask again.`)

/**
 * Reads the entry that is now at the path of a change. `isResumed`: an interrupted change may have left an entry that is neither old nor new.
 * @throws JarvisError `forbidden` if the root is read-only; `conflict` if something else has changed the entry
 */
function survey(change: FileChange, { rootOf }: ApplyParts, isResumed: boolean): Entry {
  const root = rootOf(change.root)
  if (!root.write) throw new JarvisError('forbidden', `The root ${root.name} is only read.`)
  const { old, new: made } = change
  const now = entryAt(root, change.path)
  const isBetween =
    isResumed && ((now.kind === 'none' && old.kind !== made.kind) || (now.kind === 'folder' && made.kind === 'folder'))
  if (isSame(now, old) || isSame(now, made) || isBetween) return now
  throw moved(change, 'was changed meanwhile by something else')
}

/** The reason why a link is refused. */
export const outWords = (change: FileChange): string =>
  `${shownPath(change)} would be a link that may lead out of its root. JARVIS makes none: name a target inside, without .. behind a name.`

/** Checks a change before any is made. @throws JarvisError for a problem that would stop the changes in the middle */
function mustBeReady(change: FileChange, all: readonly FileChange[], parts: ApplyParts): void {
  const { root, path, old, new: made } = change
  if (made.kind === 'link' && leadsOut(path, made.to)) throw new JarvisError('invalid_request', outWords(change))
  if (made.kind === 'file' && parts.read(made.hash) === undefined)
    throw new JarvisError('conflict', `What ${shownPath(change)} is to hold is not kept any more.`)
  if (old.kind === 'file')
    within(parts.rootOf(root), path, ({ dir, name }) => {
      const links = lstatSync(`${dir}/${name}`, { throwIfNoEntry: false })?.nlink ?? 1
      if (links > 1) throw moved(change, 'has other names (hard links), which a change would part from it')
    })
  if (old.kind !== 'folder' || made.kind === 'folder') return
  const leaving = new Set(all.filter((one) => one.root === root && one.new.kind === 'none').map((one) => one.path))
  const stays = within(parts.rootOf(root), `${path}/x`, ({ dir }) => readdirSync(dir))?.find(
    (name) => !leaving.has(`${path}/${name}`),
  )
  if (stays !== undefined) throw moved(change, 'holds something that is to stay')
}

/** Works in the opened folder that holds a path. @throws JarvisError `conflict` if there is no such folder */
function* at(change: FileChange, { rootOf }: ApplyParts, work: (held: Held) => Steps<void>): Steps<void> {
  const held = hold(rootOf(change.root), change.path)
  if (held === undefined) throw moved(change, 'lost the folder that holds it')
  try {
    yield* work(held)
  } finally {
    closeSync(held.fd)
  }
}

function* remove(held: Held, change: FileChange): Steps<void> {
  const { dir, fd, name } = held
  if (lstatSync(`${dir}/${name}`, { throwIfNoEntry: false }) === undefined) return
  if (change.old.kind === 'folder') rmdirSync(`${dir}/${name}`)
  else {
    if (!isSame(entryIn(held, shownPath(change)), change.old))
      throw moved(change, 'was changed meanwhile by something else')
    unlinkSync(`${dir}/${name}`)
  }
  yield fd
}

function* put(held: Held, change: FileChange, parts: ApplyParts): Steps<void> {
  const { dir, fd, name } = held
  const full = `${dir}/${name}`
  const { new: made } = change
  if (made.kind === 'folder') {
    if (lstatSync(full, { throwIfNoEntry: false }) === undefined) mkdirSync(full, { mode: made.mode })
    setFolderMode(full, made.mode)
  } else if (made.kind === 'link') {
    const fresh = `${dir}/${freshName(name)}`
    symlinkSync(made.to, fresh)
    renameSync(fresh, full)
  } else if (made.kind === 'file') yield* putFile(held, { change, made }, parts)
  yield fd
}

function* putFile(
  held: Held,
  { change, made: { hash, mode } }: { change: FileChange; made: Extract<Entry, { kind: 'file' }> },
  parts: ApplyParts,
): Steps<void> {
  const { dir, name } = held
  const bytes = parts.read(hash)
  if (bytes === undefined) throw moved(change, 'cannot be written: its bytes are not kept any more')
  const fresh = `${dir}/${freshName(name)}`
  const replaces = change.old.kind === 'file'
  const before = replaces ? lstatSync(`${dir}/${name}`, { throwIfNoEntry: false }) : undefined
  const file = openSync(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    writeFileSync(file, bytes)
    if (before !== undefined) keepOwner(file, before)
    fchmodSync(file, mode)
    yield file
  } finally {
    closeSync(file)
  }
  parts.reached?.(`wrote ${change.path}`)
  // This is the last check before the old bytes are lost.
  const now = entryIn(held, shownPath(change))
  if (!isSame(now, replaces ? change.old : none)) {
    unlinkSync(fresh)
    throw moved(change, 'was changed meanwhile by something else')
  }
  if (replaces) renameSync(fresh, `${dir}/${name}`)
  else {
    // Unlike a rename, a link fails if another file has taken the name in the meantime.
    linkSync(fresh, `${dir}/${name}`)
    unlinkSync(fresh)
  }
}

/** Sets a folder's mode through its file descriptor. A chmod by name would change the target of a link. */
function setFolderMode(path: string, mode: number): void {
  const folder = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    fchmodSync(folder, mode)
  } finally {
    closeSync(folder)
  }
}

/** Keeps the owner of a replaced file. Only root may give a file to another user; otherwise the file belongs to JARVIS's user. */
function keepOwner(file: number, { uid, gid }: { uid: number; gid: number }): void {
  try {
    fchownSync(file, uid, gid)
  } catch {
    // Without root, try to set the group alone, which a member of the group may do.
    try {
      fchownSync(file, -1, gid)
    } catch {}
  }
}

const freshName = (name: string) => `.${name.slice(0, 200)}.jarvis-new`

/** Removes a partly written file that a killed process left. */
function sweep(root: RootAt, path: string): void {
  within(root, path, ({ dir, name }) => {
    const fresh = `${dir}/${freshName(name)}`
    const stat = lstatSync(fresh, { throwIfNoEntry: false })
    if (stat !== undefined && !stat.isDirectory()) unlinkSync(fresh)
  })
}

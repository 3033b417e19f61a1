import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { SkillFault, SkillFile } from 'protocol'
import { quoted } from 'redaction/visible'
import { fileStart } from '../lib/file-start.ts'
import { hiddenIn } from './hidden.ts'

/** A file in the folder. `text`: its text with newlines as line ends; undefined for a file that is not text. */
export type TreeFile = Pick<SkillFile, 'path' | 'kind' | 'bytes' | 'hash'> & { text?: string }
/** The files of a skill. `hash`: over the names and bytes of all files; undefined if some could not be read. */
export type Tree = { files: TreeFile[]; bytes: number; hash: string | undefined; faults: SkillFault[] }

/**
 * Limits of one skill. A person would not read a larger one before approving it. `bytes`, `text`, `texts`: bytes of all files, of one text file, and
 * of all text files.
 */
export const treeLimits = { files: 500, depth: 8, bytes: 16_000_000, text: 256_000, texts: 2_000_000 }

/** An entry of a tree. `mark`: a text that changes when the entry changes. */
type Place = { path: string; kind: 'file' | 'link' | 'other'; mark: string; changedAt: number }
type Walked = { places: Place[]; faults: SkillFault[] }

/**
 * A tree is cached only if its newest change is older than this, ms. Otherwise a second change within the same tick of the file system’s clock would
 * not be noticed.
 */
const settledAfterMs = 2_000

/** Reads the trees of skills. A tree is read again only if the size, time or inode of an entry changed. */
export class Trees {
  readonly #now: () => number
  readonly #known = new Map<string, { mark: string; tree: Tree }>()

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Reads a tree. @param dir the skill’s folder; must not be a link */
  read(dir: string): Tree {
    const walked = walk(dir)
    const mark = walked.places.map((place) => `${place.path}\0${place.mark}`).join('\n') + walked.faults.length
    const before = this.#known.get(dir)
    if (before?.mark === mark) return before.tree
    const tree = readTree(dir, walked)
    const newest = Math.max(0, ...walked.places.map(({ changedAt }) => changedAt))
    if (this.#now() - newest > settledAfterMs) this.#known.set(dir, { mark, tree })
    else this.#known.delete(dir)
    return tree
  }

  /** Reads a tree without the cache. */
  readAnew(dir: string): Tree {
    this.#known.delete(dir)
    return readTree(dir, walk(dir))
  }

  forget(dir: string): void {
    this.#known.delete(dir)
  }
}

/** Lists a folder and the folders below it, without following links. */
function walk(dir: string): Walked {
  const places: Place[] = []
  const faults: SkillFault[] = []
  let isFull = false
  const visit = (folder: string, prefix: string, depth: number) => {
    for (const { name } of namesIn(folder, prefix, faults)) {
      if (isFull) return
      const path = prefix === '' ? name : `${prefix}/${name}`
      const stat = statOf(join(folder, name))
      if (stat === undefined) faults.push({ path, message: 'It cannot be read.' })
      else if (stat.isDirectory() && depth === treeLimits.depth)
        faults.push({ path, message: `Folders may be ${treeLimits.depth} levels deep.` })
      else if (stat.isDirectory()) visit(join(folder, name), path, depth + 1)
      else if (places.length === treeLimits.files) {
        isFull = true
        faults.push({ message: `There are more than ${treeLimits.files} files. Nobody would read them all.` })
      } else {
        const kind = stat.isSymbolicLink() ? 'link' : stat.isFile() ? 'file' : 'other'
        const { ino, size, mtimeNs, ctimeNs, ctimeMs } = stat
        places.push({ path, kind, mark: `${kind} ${ino} ${size} ${mtimeNs} ${ctimeNs}`, changedAt: Number(ctimeMs) })
      }
    }
  }
  visit(dir, '', 1)
  return { places: places.sort((a, b) => (a.path < b.path ? -1 : 1)), faults }
}

/** The entries of a folder. A folder behind a link is reported as a fault. */
function namesIn(folder: string, path: string, faults: SkillFault[]) {
  try {
    const found = readdirSync(folder, { withFileTypes: true })
    if (realpathSync(folder) === folder) return found
    faults.push({ path, message: 'A folder on the way is a link.' })
  } catch {
    faults.push({ path, message: 'The folder cannot be read.' })
  }
  return []
}

function readTree(dir: string, { places, faults: found }: Walked): Tree {
  const faults = [...found]
  const files: TreeFile[] = []
  let bytes = 0
  let texts = 0
  for (const { path, kind } of places) {
    const say = (message: string, line?: number) => faults.push({ path, line, message })
    const [unseen] = hiddenIn(path)
    if (unseen !== undefined || path.includes('\n') || path.includes('\t'))
      say(`The file’s name ${quoted(path)} holds a character that cannot be seen.`)
    if (kind !== 'file') {
      say(kind === 'link' ? 'It is a link. A skill holds files of its own alone.' : 'It is no file.')
      files.push({ path, kind, bytes: 0, hash: '' })
      continue
    }
    const taken = bytes > treeLimits.bytes ? undefined : bytesOf(join(dir, path), treeLimits.bytes - bytes + 1)
    if (taken === undefined) {
      say(
        bytes > treeLimits.bytes
          ? 'It was not read: the files before it are too large.'
          : 'It cannot be read, or is being written.',
      )
      continue
    }
    bytes += taken.length
    const file: TreeFile = { path, kind: 'binary', bytes: taken.length, hash: sha256(taken) }
    const text = textOf(taken)
    if (text !== undefined && taken.length > treeLimits.text)
      say(`It holds more text than ${treeLimits.text / 1_000} kB.`)
    else if (text !== undefined) {
      Object.assign(file, { kind: 'text', text })
      texts += taken.length
      for (const { line, code } of hiddenIn(text, 20))
        say(`Line ${line} has a character you cannot see, ${code}.`, line)
    }
    files.push(file)
  }
  if (bytes > treeLimits.bytes) faults.push({ message: `The files are over ${treeLimits.bytes / 1_000_000} MB.` })
  if (texts > treeLimits.texts)
    faults.push({ message: `There is more text than ${treeLimits.texts / 1_000_000} MB. Nobody would read it all.` })
  const isWhole = files.length === places.length && found.length === 0 && bytes <= treeLimits.bytes
  return { files, bytes, faults, hash: isWhole ? treeHash(files) : undefined }
}

/** Returns SHA-256 over the names and bytes of all files, hex. The order of the files does not matter. */
export const treeHash = (files: readonly Pick<TreeFile, 'path' | 'kind' | 'bytes' | 'hash'>[]): string => {
  const lines = files.map(({ path, kind, bytes, hash }) =>
    JSON.stringify([path, kind === 'link' || kind === 'other' ? kind : 'file', bytes, hash]),
  )
  return sha256(Buffer.from(lines.sort().join('\n')))
}

/** The first `most` bytes of a file; undefined for a link, or if the file changed while it was read. */
function bytesOf(place: string, most: number): Buffer | undefined {
  let file: number
  try {
    file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const before = fstatSync(file)
    if (!before.isFile()) return undefined
    const { bytes, isTorn } = fileStart(file, before, most)
    return isTorn ? undefined : bytes
  } catch {
    return undefined
  } finally {
    closeSync(file)
  }
}

/** Decodes a file’s bytes; undefined if they are not valid UTF-8 or contain a zero byte. A byte order mark is removed. */
function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined
  const text = bytes.toString('utf8')
  if (text.includes('\uFFFD') && !bytes.equals(Buffer.from(text))) return undefined
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
}

export const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

function statOf(place: string) {
  try {
    return lstatSync(place, { bigint: true })
  } catch {
    return undefined
  }
}

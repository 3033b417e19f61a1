import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { byNatural } from 'node-kit/natural'
import { JarvisError, type WorkspaceFile, type WorkspaceText } from 'protocol'
import { type FileStart, fileStart } from '../lib/file-start.ts'

export type { WorkspaceFile, WorkspaceText }
/** Text files in one folder. Links and paths outside the folder are refused. At most `largestBytes` of a file are read. */
export type Workspace = {
  /** Lists all text files, by path. Unreadable files are left out; never throws for them. */
  list(): WorkspaceFile[]
  /** Reads a file. @throws JarvisError `not_found`; `invalid_request` for a link, for a file that is not text, or for a file that keeps changing */
  read(path: string): WorkspaceText
  /**
   * Writes a file atomically. @param expected its present checksum; `undefined` for a new file
   * @throws JarvisError `conflict` if the checksum differs; `invalid_request` for a path outside the workspace
   */
  write(path: string, text: string, expected: string | undefined): WorkspaceText
  /** Returns the last `bytes` of a file as text, from the start of a line if possible; undefined if there is no such file. */
  tail(path: string, bytes: number): string | undefined
  /** Appends a text on a line of its own; creates a missing file. Costs only the appended part. */
  append(path: string, text: string): void
  /** @throws JarvisError `not_found`. */
  remove(path: string): void
}

/** Larger files are read up to this size: enough for years of notes. */
export const largestBytes = 2 * 1024 * 1024
const deepest = 4
const mostFiles = 5_000
const name = /^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,99}$/u
const textFile = /\.(?:md|markdown|txt|log|ya?ml|json|conf|ini|csv)$/i
const readTries = 3

export function createWorkspace(root: string): Workspace {
  mkdirSync(root, { recursive: true })
  const home = realpathSync(root)

  /** Returns the absolute path of a file, after checking that it stays inside the workspace. */
  function placeOf(path: string): string {
    const parts = path.split('/')
    if (parts.length > deepest || parts.some((part) => !name.test(part)) || !textFile.test(path)) {
      throw new JarvisError(
        'invalid_request',
        `${JSON.stringify(path.slice(0, 200))} is not a text file of the workspace: name it like MEMORY.md or memory/2026-01-31.md.`,
      )
    }
    const place = join(home, ...parts)
    // None of the folders in the path, nor the file itself, may be a link.
    for (let at = 1; at <= parts.length; at += 1) {
      const stat = statOf(join(home, ...parts.slice(0, at)))
      if (stat?.isSymbolicLink() === true) {
        throw new JarvisError('invalid_request', `${path} is a link. Only files inside the workspace are read.`)
      }
    }
    return place
  }

  function read(path: string): WorkspaceText {
    const place = placeOf(path)
    for (let attempt = 1; ; attempt += 1) {
      const taken = take(place)
      if (taken === undefined) throw new JarvisError('not_found', `There is no file ${path} in the workspace.`)
      if (!taken.isTorn) return { path, ...asText(taken.bytes, taken.size), changedAt: taken.changedAt }
      if (attempt === readTries) throw new JarvisError('invalid_request', `${path} is being written. Try again.`)
    }
  }

  function put(path: string, text: string): WorkspaceText {
    const place = placeOf(path)
    mkdirSync(dirname(place), { recursive: true })
    const fresh = `${place}.${process.pid}.new`
    try {
      writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' })
      renameSync(fresh, place)
    } catch (error) {
      rmSync(fresh, { force: true })
      throw error
    }
    return read(path)
  }

  return {
    list: () => filesIn(home),
    read,
    write(path, text, expected) {
      const now = take(placeOf(path))
      const checksum = now === undefined ? undefined : sha256(now.bytes)
      if (checksum !== expected) {
        throw new JarvisError(
          'conflict',
          now === undefined
            ? `${path} is gone. Save it under its name again to make it anew.`
            : `${path} was changed meanwhile. Read it again first.`,
        )
      }
      return put(path, text)
    },
    tail(path, bytes) {
      const end = lastOf(placeOf(path), bytes)
      return end === undefined ? undefined : end.toString('utf8').replace(/^\uFFFD+/, '')
    },
    append(path, text) {
      const place = placeOf(path)
      const last = lastOf(place, 1)
      mkdirSync(dirname(place), { recursive: true })
      const file = openSync(
        place,
        constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW,
        0o600,
      )
      const { size } = fstatSync(file)
      try {
        writeFileSync(file, `${last === undefined || last.length === 0 || last.at(-1) === 10 ? '' : '\n'}${text}`)
      } catch (error) {
        ftruncateSync(file, size)
        throw error
      } finally {
        closeSync(file)
      }
    },
    remove(path) {
      const place = placeOf(path)
      if (statOf(place)?.isFile() !== true)
        throw new JarvisError('not_found', `There is no file ${path} in the workspace.`)
      rmSync(place)
    },
  }
}

/** The text files below a folder, by path. */
function filesIn(home: string): WorkspaceFile[] {
  const found: WorkspaceFile[] = []
  const visit = (folder: string, depth: number) => {
    for (const entry of entriesOf(folder)) {
      if (found.length >= mostFiles || !name.test(entry.name)) continue
      const place = join(folder, entry.name)
      if (entry.isDirectory() && depth < deepest) visit(place, depth + 1)
      else if (entry.isFile() && textFile.test(entry.name)) {
        const stat = statOf(place)
        if (stat === undefined) continue
        const path = relative(home, place).split(sep).join('/')
        found.push({ path, bytes: stat.size, changedAt: Math.round(stat.mtimeMs) })
      }
    }
  }
  visit(home, 1)
  return found.sort((one, other) => byNatural(one.path, other.path))
}

/** Reads the first `largestBytes` of a file, and reports if the file changed meanwhile. */
const take = (place: string): FileStart | undefined =>
  withFile(place, (file, before) => (before.isFile() ? fileStart(file, before, largestBytes) : undefined))

/** Reads the end of a file. */
const lastOf = (place: string, bytes: number): Buffer | undefined =>
  withFile(place, (file, { size }) => {
    const end = Buffer.alloc(Math.min(size, bytes))
    return end.subarray(0, readSync(file, end, 0, end.length, size - end.length))
  })

/** Opens a file without following links or waiting for a pipe. @returns undefined if the file cannot be opened */
function withFile<T>(place: string, read: (file: number, stats: Stats) => T): T | undefined {
  let file: number
  try {
    file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    return read(file, fstatSync(file))
  } finally {
    closeSync(file)
  }
}

function asText(bytes: Buffer, size: number): Pick<WorkspaceText, 'text' | 'checksum' | 'problem'> {
  const checksum = sha256(bytes)
  // A file with zero bytes is not text in any supported encoding.
  if (bytes.includes(0)) return { text: '', checksum, problem: 'It is not text: it holds zero bytes.' }
  const text = bytes.toString('utf8')
  if (size > bytes.length) {
    return {
      text,
      checksum,
      problem: `Only its first ${largestBytes / 1024 / 1024} MB of ${Math.ceil(size / 1024 / 1024)} are read.`,
    }
  }
  if (text.includes('\uFFFD') && !bytes.equals(Buffer.from(text))) {
    return { text, checksum, problem: 'It is not clean UTF-8: what could not be read shows as �.' }
  }
  return { text, checksum }
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function statOf(place: string) {
  try {
    return lstatSync(place)
  } catch {
    return undefined
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

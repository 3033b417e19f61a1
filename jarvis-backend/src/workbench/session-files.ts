import { closeSync, createReadStream, existsSync, openSync, readSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { JarvisError, type SessionFile, type SessionFilesReply } from 'protocol'
import type { Redactor } from '../gate/index.ts'
import { pictureFacts } from '../lib/picture.ts'
import { addFile } from './files/add-file.ts'
import { decoded, isBinary } from './files/text.ts'
import { filesBelow } from './files/tree.ts'
import { bytesOf, type RootAt, withFile, within } from './files/walk.ts'
import { nameOf, namesFor } from './new-name.ts'

/** The largest file that is handed out, bytes: as large as the largest download that a browser keeps. */
export const mostBytes = 50 * 1024 ** 2
const mostListed = 1_000
/** The most files that are kept of one answer, and the folder for them. */
const mostReceived = 10
const receivedIn = 'received'

/**
 * A file that is handed out. `mimeType`: a picture, `text/plain` or `application/octet-stream`, so that no browser runs it. `tag`: changes with the
 * content. `isRedacted`: secrets were replaced in it. `read`: the bytes from `start` to `end`, both included; called at most once. `close`: call it
 * if `read` is not called.
 */
export type OpenedFile = {
  name: string
  mimeType: string
  size: number
  tag: string
  isRedacted?: true
  read(start: number, end: number): Readable
  close(): void
}

/** The files of sessions' own folders, which tools name `session/PATH`, for people and programs that may read the session. */
export interface SessionFiles {
  /** Lists the files, the newest first. @throws JarvisError `unknown_session` */
  list(sessionId: string, signal: AbortSignal): Promise<SessionFilesReply>
  /** @param path relative to the folder @throws JarvisError `unknown_session`, `not_found`, `forbidden`, `message_too_large`, `invalid_request` */
  open(sessionId: string, path: string): Promise<OpenedFile>
  /** Keeps files that another program sent. @returns their paths; a file that finds no room is left out */
  keep(sessionId: string, files: readonly { name: string; data: Buffer }[]): string[]
}

export type SessionFilesParts = {
  /** The folder that has a folder for each session. */
  home: string
  /** Makes the session's folder if it is missing. */
  rootOf(sessionId: string): RootAt
  /** Returns why a path in a session's folder may not be read; undefined if it may. */
  closed(path: string): string | undefined
  isSession(id: string): boolean
  /** The last call that wrote each file, by path in the session's folder. */
  writers(sessionId: string): Map<string, NonNullable<SessionFile['by']>>
  redactor: Redactor
  hasRoom(): boolean
}

const never = new AbortController().signal

export class FolderFiles implements SessionFiles {
  readonly #parts: SessionFilesParts

  constructor(parts: SessionFilesParts) {
    this.#parts = parts
  }

  async list(sessionId: string, signal: AbortSignal = never): Promise<SessionFilesReply> {
    const root = this.#root(sessionId)
    const isClosed = (path: string) => this.#whyClosed(path) !== undefined
    const tree = root === undefined ? { files: [], isCut: false } : await filesBelow(root, '', { isClosed, signal })
    const writers = this.#parts.writers(sessionId)
    const there = tree.files.map(({ path, size, changedAt }): SessionFile => {
      const by = writers.get(path)
      writers.delete(path)
      return { path, bytes: size, changedAt, ...(by && { by }) }
    })
    const gone = tree.isCut ? [] : [...writers].map(([path, by]): SessionFile => ({ path, isGone: true, by }))
    const items = [...there.sort((a, b) => (b.changedAt ?? 0) - (a.changedAt ?? 0)), ...gone]
    const isCut = tree.isCut || items.length > mostListed
    return { items: items.slice(0, mostListed), ...(isCut && { isCut }) }
  }

  async open(sessionId: string, path: string): Promise<OpenedFile> {
    const root = this.#root(sessionId)
    const why = this.#whyClosed(path)
    if (why !== undefined) throw new JarvisError('forbidden', why)
    const opened = root && within(root, path, (held) => withFile(held, `session/${path}`, openedOf))
    if (opened === undefined)
      throw new JarvisError('not_found', `There is no file session/${path}. It may have been renamed or deleted.`)
    const name = path.split('/').at(-1) ?? path
    const { text, mimeType = 'application/octet-stream', ...bytes } = opened
    if (text === undefined) return { name, mimeType, ...bytes }
    const shown = await this.#parts.redactor.later(text)
    const data = Buffer.from(shown)
    return {
      name,
      mimeType: 'text/plain; charset=utf-8',
      size: data.length,
      tag: opened.tag,
      ...(shown !== text && { isRedacted: true }),
      read: (start, end) => Readable.from([data.subarray(start, end + 1)]),
      close() {},
    }
  }

  keep(sessionId: string, files: readonly { name: string; data: Buffer }[]): string[] {
    return files.slice(0, mostReceived).flatMap(({ name, data }) => {
      if (data.length > mostBytes || !this.#parts.hasRoom()) return []
      const names = namesFor(nameOf(name))
      return `${receivedIn}/${addFile(this.#parts.rootOf(sessionId), { folder: receivedIn, names }, data)}`
    })
  }

  /** The session's folder; undefined if nothing was written there. @throws JarvisError `unknown_session` */
  #root(sessionId: string): RootAt | undefined {
    if (!this.#parts.isSession(sessionId))
      throw new JarvisError('unknown_session', 'There is no such session. It may be deleted.')
    const path = join(this.#parts.home, sessionId)
    return existsSync(path) ? { name: 'session', path, write: false, own: [] } : undefined
  }

  /** As `read_file` judges it. A name that holds a secret could not be shown, so the file is not handed out. */
  #whyClosed(path: string): string | undefined {
    if (this.#parts.redactor.text(path) !== path) return 'The name of the file holds a secret.'
    return this.#parts.closed(path)
  }
}

type Opened = Omit<OpenedFile, 'name' | 'mimeType' | 'isRedacted'> & { mimeType?: string; text?: string }

/** @throws JarvisError `invalid_request` if it is no file; `message_too_large` */
function openedOf(file: number, stats: Stats): Opened {
  const { size, ino, mtimeMs } = stats
  if (!stats.isFile()) throw new JarvisError('invalid_request', 'That is a folder, a device or a pipe, not a file.')
  if (size > mostBytes)
    throw new JarvisError(
      'message_too_large',
      `The file is larger than ${mostBytes / 1024 ** 2} MB, the most that is sent.`,
    )
  const tag = `"${ino.toString(36)}-${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`
  const head = Buffer.alloc(Math.min(size, 8_192))
  readSync(file, head, 0, head.length, 0)
  const mimeType = pictureFacts(head)?.mimeType
  const whole = mimeType === undefined && !isBinary(head) ? bytesOf(file, mostBytes) : undefined
  const text = whole && decoded(whole)
  if (text !== undefined) return { size, tag, text, read: () => Readable.from([]), close() {} }
  // A descriptor of its own, because the caller's is closed before the bytes are sent.
  const fd = openSync(`/proc/self/fd/${file}`, 'r')
  return {
    size,
    tag,
    ...(mimeType !== undefined && { mimeType }),
    read: (start, end) => createReadStream('', { fd, start, end }),
    close: () => closeSync(fd),
  }
}

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { z } from 'zod'
import type { Database } from '../database.ts'
import { journalHead } from './journal.ts'

/** The newest entry of a journal; seq 0 if there is none. */
export type Head = { seq: number; hash: string }

/**
 * A second copy of the journal's head in `journal/head.json`, outside the database, so that a truncated journal is noticed. The file may be behind
 * the database, but never ahead of it.
 */
export interface Anchor {
  /** Call it with each committed entry. Heads are written soon after; one write serves many. */
  moved(head: Head): void
  /** The reason why the journal cannot be the one that was written, for a person; undefined if it agrees with the anchor. */
  problem(): string | undefined
  /** The heads that the journal must contain: the head in the file, and the newest head of this process. */
  heads(): { file: Head | undefined; newest: Head }
  /** Resolves once the newest head is in the file. Never rejects. */
  flush(): Promise<void>
}

const HeadFile = z.object({ seq: z.int().nonnegative(), hash: z.string().length(64), at: z.int() })

/**
 * Longest time that a head waits to be written, ms. Each write syncs twice, so one write serves many heads. Unwritten heads are kept in memory, so
 * this process notices a truncation at once.
 */
const delayMs = 1_000

export const readHead = (dir: string): Head | undefined => {
  try {
    const { seq, hash } = HeadFile.parse(JSON.parse(readFileSync(join(dir, 'head.json'), 'utf8')))
    return { seq, hash }
  } catch {
    return undefined
  }
}

type Parts = { database: Database; now(): number; report(error: unknown, message: string): void }

/** The anchor in a folder. */
export class FileAnchor implements Anchor {
  readonly #dir: string
  readonly #parts: Parts
  readonly #last: () => Head
  readonly #hashAt: Sqlite.Statement<[number], { hash: string }>
  readonly #sealedTo: Sqlite.Statement<[], { seq: number | null }>
  #newest: Head
  #timer: NodeJS.Timeout | undefined
  #writing = Promise.resolve()
  #written: number
  #isTold = false

  /** Creates `dir` if needed, and the anchor of a journal without entries. */
  constructor(dir: string, parts: Parts) {
    const { sql } = parts.database
    this.#dir = dir
    this.#parts = parts
    this.#last = journalHead(parts.database)
    this.#hashAt = sql.prepare('SELECT hash FROM journal WHERE seq = ?')
    this.#sealedTo = sql.prepare('SELECT MAX(last_seq) AS seq FROM journal_segments')
    this.#newest = this.#last()
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    if (this.#newest.seq === 0 && readHead(dir) === undefined) {
      writeFileSync(join(dir, 'head.json'), textOf(this.#newest, parts.now()), { mode: 0o600 })
    }
    this.#written = readHead(dir)?.seq ?? 0
  }

  moved(head: Head): void {
    if (head.seq > this.#newest.seq) this.#newest = head
    this.#timer ??= setTimeout(() => void this.flush(), delayMs).unref()
  }

  problem(): string | undefined {
    const file = readHead(this.#dir)
    if (file === undefined) return 'journal/head.json cannot be read, so a tail that was cut off would go unnoticed.'
    const missed = [file, this.#newest].find((head) => !this.#passesThrough(head))
    if (missed === undefined) return undefined
    const { seq } = this.#last()
    return missed.seq > seq
      ? `Entries ${seq + 1} to ${missed.seq} are missing: the tail was cut off.`
      : `Entry ${missed.seq}, or one before it, was written anew.`
  }

  heads(): { file: Head | undefined; newest: Head } {
    return { file: readHead(this.#dir), newest: this.#newest }
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing
      .then(() => (this.#written === this.#newest.seq ? undefined : this.#write()))
      .catch((error) => this.#parts.report(error, 'journal/head.json could not be written'))
    return this.#writing
  }

  #passesThrough({ seq, hash }: Head): boolean {
    return seq === 0 || this.#hashAt.get(seq)?.hash === hash || seq <= (this.#sealedTo.get()?.seq ?? 0)
  }

  async #write(): Promise<void> {
    const { database, now, report } = this.#parts
    const file = readHead(this.#dir)
    // A journal without its anchored head must not get a new anchor: the anchor is the evidence.
    if (file === undefined || !this.#passesThrough(file) || !this.#passesThrough(this.#newest)) {
      if (!this.#isTold) report(undefined, 'The journal does not agree with journal/head.json. Run: journal verify')
      this.#isTold = true
      return
    }
    const head = this.#last()
    // Entries of reads are committed without a sync. They are synced first, or a power cut would look like a truncated journal.
    await syncFile(`${database.sql.name}-wal`)
    await writeHead(this.#dir, head, now())
    this.#written = head.seq
  }
}

/** Replaces the anchor atomically. */
export async function writeHead(dir: string, head: Head, at: number): Promise<void> {
  const unfinished = join(dir, `head.json.${process.pid}`)
  const file = await open(unfinished, 'w', 0o600)
  try {
    await file.writeFile(textOf(head, at))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, join(dir, 'head.json'))
}

const textOf = ({ seq, hash }: Head, at: number) => `${JSON.stringify({ seq, hash, at })}\n`

/** Syncs the write-ahead log. SQLite holds no locks on it, so it may be opened here, unlike the database and the shm file. */
async function syncFile(path: string) {
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch {
    // The log was checkpointed and removed, so the database has its content.
    return
  }
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

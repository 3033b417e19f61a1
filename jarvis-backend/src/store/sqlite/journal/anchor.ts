import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Database } from '../database.ts'
import { journalHead } from './journal.ts'

/** The newest entry of a journal; seq 0 if there is none. */
export type Head = { seq: number; hash: string }

/**
 * A second copy of the journal's head in `journal/head.json`, outside the database, so that a truncated journal is noticed. The file may be behind
 * the database, but never ahead of it.
 */
export type Anchor = {
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

/** Opens the anchor. Creates `dir` if needed, and the anchor of a journal without entries. */
export function createAnchor(
  dir: string,
  parts: { database: Database; now(): number; report(error: unknown, message: string): void },
): Anchor {
  const { database, now, report } = parts
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const last = journalHead(database)
  const hashAt = database.sql.prepare<[number], { hash: string }>('SELECT hash FROM journal WHERE seq = ?')
  const sealedTo = database.sql.prepare<[], { seq: number | null }>('SELECT MAX(last_seq) AS seq FROM journal_segments')
  let newest = last()
  if (newest.seq === 0 && readHead(dir) === undefined) {
    writeFileSync(join(dir, 'head.json'), textOf(newest, now()), { mode: 0o600 })
  }

  const passesThrough = ({ seq, hash }: Head) =>
    seq === 0 || hashAt.get(seq)?.hash === hash || seq <= (sealedTo.get()?.seq ?? 0)

  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  let written = readHead(dir)?.seq ?? 0
  let isTold = false

  async function write() {
    const file = readHead(dir)
    // A journal without its anchored head must not get a new anchor: the anchor is the evidence.
    if (file === undefined || !passesThrough(file) || !passesThrough(newest)) {
      if (!isTold) report(undefined, 'The journal does not agree with journal/head.json. Run: journal verify')
      isTold = true
      return
    }
    const head = last()
    // Entries of reads are committed without a sync. They are synced first, or a power cut would look like a truncated journal.
    await syncFile(`${database.sql.name}-wal`)
    await writeHead(dir, head, now())
    written = head.seq
  }

  const anchor: Anchor = {
    moved(head) {
      if (head.seq > newest.seq) newest = head
      timer ??= setTimeout(() => void anchor.flush(), delayMs).unref()
    },
    problem() {
      const file = readHead(dir)
      if (file === undefined) return 'journal/head.json cannot be read, so a tail that was cut off would go unnoticed.'
      const missed = [file, newest].find((head) => !passesThrough(head))
      if (missed === undefined) return undefined
      const { seq } = last()
      return missed.seq > seq
        ? `Entries ${seq + 1} to ${missed.seq} are missing: the tail was cut off.`
        : `Entry ${missed.seq}, or one before it, was written anew.`
    },
    heads: () => ({ file: readHead(dir), newest }),
    flush() {
      clearTimeout(timer)
      timer = undefined
      writing = writing
        .then(() => (written === newest.seq ? undefined : write()))
        .catch((error) => report(error, 'journal/head.json could not be written'))
      return writing
    },
  }
  return anchor
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

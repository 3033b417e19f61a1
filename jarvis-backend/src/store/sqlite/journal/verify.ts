import { existsSync } from 'node:fs'
import type { JournalVerification } from 'protocol'
import { createSignatureCheck } from '../../../signing/journal-check.ts'
import type { Database } from '../database.ts'
import type { Anchor, Head } from './anchor.ts'
import { firstHash, hashOf, type JournalRow } from './journal.ts'
import { fromLine, linesOf, type Segment, segmentPath, segmentReader } from './segments.ts'

/** Thrown for the first altered entry. */
class Broken extends Error {
  readonly seq: number
  constructor(seq: number, reason: string) {
    super(reason)
    this.seq = seq
  }
}

/** How long the verification blocks other work at a time, ms. */
const turnMs = 3

/** The journal's files outside the database; undefined for a database in memory. */
export type JournalDir = { path: string; anchor: Anchor }

/**
 * Verifies the chain and what was signed in it, from the first entry to the anchored head: about 4 ms per 1,000 entries, in slices of 3 ms. Concurrent calls share
 * one verification.
 */
export function createVerifier(database: Database, dir?: JournalDir): () => Promise<JournalVerification> {
  const segments = segmentReader(database)
  const select = database.sql.prepare<[number], JournalRow>(
    'SELECT seq, at, kind, body, hash FROM journal WHERE seq > ? ORDER BY seq',
  )
  let walking: Promise<JournalVerification> | undefined

  async function verify(): Promise<JournalVerification> {
    for (;;) {
      const sealed = segments()
      const heads = headsOf(dir)
      const found = await walk(sealed, heads, select, dir)
      // Entries that were sealed meanwhile are missing rightly, so the verification starts again.
      if (found.ok || segments().length === sealed.length) return found
    }
  }
  return () => {
    walking ??= verify().finally(() => {
      walking = undefined
    })
    return walking
  }
}

type Heads = { known: Head[]; isLost: boolean }

function headsOf(dir: JournalDir | undefined): Heads {
  if (dir === undefined) return { known: [], isLost: false }
  const { file, newest } = dir.anchor.heads()
  return { known: file === undefined ? [newest] : [file, newest], isLost: file === undefined }
}

async function walk(
  segments: Segment[],
  { known, isLost }: Heads,
  select: { iterate(after: number): IterableIterator<JournalRow> },
  dir: JournalDir | undefined,
): Promise<JournalVerification> {
  let head: Head = { seq: 0, hash: firstHash }
  let entries = 0
  const signatureProblem = createSignatureCheck()
  const follow = (row: JournalRow) => {
    if (row.seq > head.seq + 1) throw new Broken(head.seq + 1, `Entry ${head.seq + 1} is missing.`)
    if (row.seq <= head.seq) throw new Broken(row.seq, `Entry ${row.seq} was put in later.`)
    if (row.hash !== hashOf(head.hash, row)) throw new Broken(row.seq, `Entry ${row.seq} is not as it was written.`)
    reach(row)
    entries += 1
    const problem = signatureProblem(row)
    if (problem !== undefined) throw new Broken(row.seq, problem)
  }
  const reach = ({ seq, hash }: Head) => {
    head = { seq, hash }
    if (known.some((anchored) => anchored.seq === seq && anchored.hash !== hash)) {
      throw new Broken(seq, `Entry ${seq}, or one before it, was written anew: it is not the anchored one.`)
    }
  }

  try {
    for (const segment of segments) {
      const { firstSeq, lastSeq, firstPrevHash, lastHash } = segment
      if (firstSeq !== head.seq + 1 || firstPrevHash !== head.hash || lastSeq < firstSeq) {
        throw new Broken(head.seq + 1, `The sealed entries from ${head.seq + 1} on are missing.`)
      }
      const path = dir === undefined ? undefined : segmentPath(dir.path, segment)
      if (path === undefined || !existsSync(path)) {
        reach({ seq: lastSeq, hash: lastHash })
        continue
      }
      for await (const line of linesOf(path)) follow(readLine(line, head.seq + 1))
      if (head.seq !== lastSeq || head.hash !== lastHash) {
        throw new Broken(Math.min(head.seq + 1, lastSeq), `The segment that ends with entry ${lastSeq} is cut off.`)
      }
    }

    // The chain must have a prune entry for the newest segment: deleting entries and declaring them sealed leaves none.
    let newest = segments.at(-1)
    const isSealOf = ({ kind, body }: JournalRow) =>
      newest !== undefined && kind === 'prune' && body.startsWith(JSON.stringify(newest).slice(0, -1))
    // The first query also finds entries that were inserted before the chain.
    let after = Number.MIN_SAFE_INTEGER
    for (let isDone = false; !isDone; after = head.seq) {
      isDone = true
      const until = performance.now() + turnMs
      for (const row of select.iterate(after)) {
        follow(row)
        if (isSealOf(row)) newest = undefined
        if (performance.now() > until) {
          isDone = false
          break
        }
      }
      await new Promise(setImmediate)
    }
    if (newest !== undefined) {
      throw new Broken(newest.firstSeq, `The journal does not say that entries up to ${newest.lastSeq} were sealed.`)
    }
    const cut = known.find(({ seq }) => seq > head.seq)
    if (cut !== undefined) {
      throw new Broken(head.seq + 1, `Entries ${head.seq + 1} to ${cut.seq} are missing: the tail was cut off.`)
    }
    if (isLost)
      throw new Broken(head.seq + 1, 'journal/head.json cannot be read, so a tail that was cut off would go unnoticed.')
    return { ok: true, entries }
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    return { ok: false, entries, brokenAt: error.seq, reason: error.message }
  }
}

function readLine(line: string, seq: number): JournalRow {
  try {
    return fromLine(line)
  } catch {
    throw new Broken(seq, `Entry ${seq} cannot be read.`)
  }
}

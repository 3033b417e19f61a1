import type { JournalPage, JournalQuery, JournalVerification } from 'protocol'
import type { Journal, JournalProof } from '../../../calls/ports.ts'
import type { Database } from '../database.ts'
import { createAnchor } from './anchor.ts'
import { createCallEntries } from './call-entries.ts'
import { createJournal, createJournalPages } from './journal.ts'
import { countLostCards, createJournalProof } from './proof.ts'
import { exportJournal, pruneJournal, type Segment } from './segments.ts'
import { createVerifier } from './verify.ts'

/**
 * The known state of the journal's integrity without a full verification. `problem`: the fault in words for a person. `lostCards`: cards in the
 * journal that are missing from the database.
 */
export type JournalStanding = { problem?: string; lostCards: number }

export type KeptJournal = Journal & {
  page(query: JournalQuery): Promise<JournalPage>
  /** The newest entry of each call of a session between two times (Unix ms), by the call. */
  entriesOfCalls(sessionId: string, from: number, until: number): ReadonlyMap<string, number>
  verify(): Promise<JournalVerification>
  proof: JournalProof
  standing(): JournalStanding
  /** The whole journal as JSONL, oldest entry first. */
  lines(): AsyncGenerator<string>
  /** Moves entries older than `before` (Unix ms) into sealed files. @throws JarvisError if these entries are broken */
  prune(before: number, by: string): Segment[]
  /** Calls `listener` after each commit that appended entries. @returns a function that stops it */
  watch(listener: () => void): () => void
  /** Resolves once the anchor is written; call it before the database is closed. */
  flush(): Promise<void>
}

/** Opens the journal. `dir` holds the anchor and the sealed segments; a database in memory has neither. */
export function keepJournal(
  database: Database,
  parts: { dir: string; now(): number; report(error: unknown, message: string): void },
): KeptJournal {
  const { dir, now, report } = parts
  const anchor = database.sql.memory ? undefined : createAnchor(dir, { database, now, report })
  const journal = createJournal(database, now, anchor)
  const listeners = new Set<() => void>()
  // Compare the journal with its anchor at the start, because later entries would take the seqs of truncated ones and hide the loss.
  const problemAtStart = anchor?.problem()
  const lostCards = countLostCards(database)
  const verify = createVerifier(database, anchor && { path: dir, anchor })
  /** Result of the latest verification. */
  let broken: string | undefined
  return {
    append(kind, body) {
      journal.append(kind, body)
      for (const listener of listeners) database.afterCommit(listener)
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    page: createJournalPages(database),
    entriesOfCalls: createCallEntries(database),
    async verify() {
      const found = await verify()
      broken = found.ok ? undefined : found.reason
      return found
    },
    proof: createJournalProof(database, () => anchor?.problem() === undefined),
    standing() {
      const problem = problemAtStart ?? anchor?.problem() ?? broken
      return { ...(problem !== undefined && { problem }), lostCards }
    },
    lines: () => exportJournal(database, anchor && dir),
    prune: (before, by) => pruneJournal(database, { dir, journal, before, now: now(), by }),
    flush: async () => anchor?.flush(),
  }
}

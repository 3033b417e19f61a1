import type { JournalEntry, JournalQuery, JournalVerification, Page } from '../../protocol/index.ts'
import type { Journal } from '../../tools/ports.ts'
import type { Database } from './database.ts'
import { createJournal, createJournalPages } from './journal.ts'
import { createAnchor } from './journal-anchor.ts'
import { exportJournal, pruneJournal, type Segment } from './journal-segments.ts'
import { createVerifier } from './journal-verify.ts'

export type KeptJournal = Journal & {
  page(query: JournalQuery): Promise<Page<JournalEntry>>
  verify(): Promise<JournalVerification>
  /** JSONL, oldest first. */
  lines(): AsyncGenerator<string>
  /** Seals what is older than `before`, Unix ms. @throws JarvisError where that part of the journal is broken. */
  prune(before: number, by: string): Segment[]
  /** Calls `listener` after what was appended is committed. @returns a function that stops it. */
  watch(listener: () => void): () => void
  /** Resolves once the anchor agrees; before the database is closed. */
  flush(): Promise<void>
}

/** `dir` keeps the anchor and the sealed segments; a database in memory has neither. */
export function keepJournal(
  database: Database,
  parts: { dir: string; now(): number; report(error: unknown, message: string): void },
): KeptJournal {
  const { dir, now, report } = parts
  const anchor = database.sql.memory ? undefined : createAnchor(dir, { database, now, report })
  const journal = createJournal(database, now, anchor)
  const listeners = new Set<() => void>()
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
    verify: createVerifier(database, anchor && { path: dir, anchor }),
    lines: () => exportJournal(database, anchor && dir),
    prune: (before, by) => pruneJournal(database, { dir, journal, before, now: now(), by }),
    flush: async () => anchor?.flush(),
  }
}

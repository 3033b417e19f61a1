import type { JournalPage, JournalQuery, JournalVerification } from 'protocol'
import type { Journal, JournalKind, JournalProof } from '../../../calls/ports.ts'
import type { Database } from '../database.ts'
import { type Anchor, FileAnchor } from './anchor.ts'
import { CallEntries } from './call-entries.ts'
import { JournalPages, SqliteJournal } from './journal.ts'
import { countLostCards, SqliteJournalProof } from './proof.ts'
import { exportJournal, pruneJournal, type Segment } from './segments.ts'
import { Verifier } from './verify.ts'

/**
 * The known state of the journal's integrity without a full verification. `problem`: the fault in words for a person. `lostCards`: cards in the
 * journal that are missing from the database.
 */
export type JournalStanding = { problem?: string; lostCards: number }

export interface KeptJournal extends Journal {
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

type Parts = { dir: string; now(): number; report(error: unknown, message: string): void }

/** The journal of a database, with its anchor. */
export class SqliteKeptJournal implements KeptJournal {
  readonly proof: JournalProof
  readonly #database: Database
  readonly #parts: Parts
  readonly #anchor: Anchor | undefined
  readonly #journal: Journal
  readonly #pages: JournalPages
  readonly #entries: CallEntries
  readonly #verifier: Verifier
  readonly #listeners = new Set<() => void>()
  readonly #problemAtStart: string | undefined
  readonly #lostCards: number
  /** The problem that the latest verification found. */
  #broken: string | undefined

  /** @param parts.dir the folder of the anchor and the sealed segments; a database in memory has neither */
  constructor(database: Database, parts: Parts) {
    const { dir, now, report } = parts
    const anchor = database.sql.memory ? undefined : new FileAnchor(dir, { database, now, report })
    this.#database = database
    this.#parts = parts
    this.#anchor = anchor
    this.#journal = new SqliteJournal(database, now, anchor)
    // Compare the journal with its anchor at the start, because later entries would take the seqs of truncated ones and hide the loss.
    this.#problemAtStart = anchor?.problem()
    this.#lostCards = countLostCards(database)
    this.#pages = new JournalPages(database)
    this.#entries = new CallEntries(database)
    this.#verifier = new Verifier(database, anchor && { path: dir, anchor })
    this.proof = new SqliteJournalProof(database, () => anchor?.problem() === undefined)
  }

  append(kind: JournalKind, body: Record<string, unknown>): void {
    this.#journal.append(kind, body)
    for (const listener of this.#listeners) this.#database.afterCommit(listener)
  }

  page(query: JournalQuery): Promise<JournalPage> {
    return this.#pages.page(query)
  }

  entriesOfCalls(sessionId: string, from: number, until: number): ReadonlyMap<string, number> {
    return this.#entries.of(sessionId, from, until)
  }

  async verify(): Promise<JournalVerification> {
    const found = await this.#verifier.verify()
    this.#broken = found.ok ? undefined : found.reason
    return found
  }

  standing(): JournalStanding {
    const problem = this.#problemAtStart ?? this.#anchor?.problem() ?? this.#broken
    return { problem, lostCards: this.#lostCards }
  }

  lines(): AsyncGenerator<string> {
    return exportJournal(this.#database, this.#anchor && this.#parts.dir)
  }

  prune(before: number, by: string): Segment[] {
    const { dir, now } = this.#parts
    return pruneJournal(this.#database, { dir, journal: this.#journal, before, now: now(), by })
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async flush(): Promise<void> {
    await this.#anchor?.flush()
  }
}

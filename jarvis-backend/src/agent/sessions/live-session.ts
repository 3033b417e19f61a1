import type { ChatEvents, Entry } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import type { Run, RunSession } from '../run.ts'
import type { Draft, Given, StoredEntry } from './entries.ts'
import type { StoredSession, TranscriptStore } from './transcript-store.ts'

export type Publish = (sessionId: string, event: keyof ChatEvents, payload: object) => void

/** Number of `seq` values that one write reserves. Reserving ahead prevents that a value is used twice after a crash. */
const reservedAtOnce = 5_000

/** The part of a run that appending an entry needs. */
type Appending = { row: { id: string }; entries: StoredEntry[] }

export type LiveSessionParts = {
  store: Pick<TranscriptStore, 'undone' | 'isInTransaction' | 'reserveSeq' | 'append' | 'renameSession'>
  publish: Publish
  clock: Clock
  afterCommit(run: () => void): void
  report(error: unknown, message: string): void
  /** Converts an entry to the form that clients get. */
  toWire(entry: StoredEntry): Entry
}

/** A session that is kept in memory while it has runs. Gives each event its `seq` and sends it to the watchers. */
export class LiveSession implements RunSession {
  readonly id: string
  /** The agent that the session belongs to. */
  readonly agent: string
  isRehearsal: boolean
  /** The runs in progress, by id: at most one run that answers a message, and any number of MCP calls. */
  readonly runs = new Map<string, Run>()
  readonly #parts: LiveSessionParts
  #title: string
  #nextSeq: number
  #reserved: number
  #undone: number

  constructor(session: StoredSession, parts: LiveSessionParts) {
    this.id = session.id
    this.agent = session.agent
    this.isRehearsal = session.isRehearsal
    this.#parts = parts
    this.#title = session.title
    this.#nextSeq = session.nextSeq
    this.#reserved = session.nextSeq
    this.#undone = parts.store.undone()
  }

  get title(): string {
    return this.#title
  }

  get nextSeq(): number {
    return this.#nextSeq
  }

  /** Stores the entry. Call `show` after the commit: it adds the entry to the run and shows it to watchers. */
  keep(run: Appending, draft: Draft & Given): { entry: StoredEntry; show(): void } {
    const { store, clock } = this.#parts
    const entry = { ...draft, seq: this.#takeSeq(), runId: run.row.id, at: clock.now() } as StoredEntry
    store.append(this.id, entry)
    return { entry, show: () => this.#show(run, entry) }
  }

  /** Stores the entry, and shows it to watchers after the commit. */
  append(run: Appending, draft: Draft & Given): StoredEntry {
    const { entry, show } = this.keep(run, draft)
    this.#parts.afterCommit(show)
    return entry
  }

  emit(runId: string, event: keyof ChatEvents, payload: object): void {
    this.#parts.publish(this.id, event, { sessionId: this.id, runId, seq: this.#takeSeq(), ...payload })
  }

  rename(title: string): void {
    this.#title = title
    this.#parts.store.renameSession(this.id, title)
  }

  /** Stores the exact `seq`, if it is not stored yet. Called when a run has ended. */
  storeSeq(): void {
    if (this.#reserved === this.#nextSeq) return
    this.#parts.store.reserveSeq(this.id, this.#nextSeq, this.#parts.clock.now())
    this.#reserved = this.#nextSeq
  }

  #show(run: Appending, entry: StoredEntry): void {
    run.entries.push(entry)
    const { type, ...payload } = this.#parts.toWire(entry)
    this.#parts.publish(this.id, `chat:${type}`, { sessionId: this.id, ...payload })
  }

  #takeSeq(): number {
    const { store, clock, report } = this.#parts
    // A rolled-back transaction also rolls back the numbers that it reserved.
    if (this.#nextSeq >= this.#reserved || store.undone() !== this.#undone) {
      const isPartOfMore = store.isInTransaction()
      try {
        store.reserveSeq(this.id, this.#nextSeq + reservedAtOnce, clock.now())
        this.#reserved = this.#nextSeq + reservedAtOnce
        this.#undone = store.undone()
      } catch (error) {
        // A full disk may have ended the transaction, so later writes would no longer belong to it.
        if (isPartOfMore) throw error
        // Streaming continues while the disk is full; storing the next entry reports the failure.
        report(error, 'no numbers could be set aside')
      }
    }
    return this.#nextSeq++
  }
}

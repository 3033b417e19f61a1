import type { ChatEvents, Entry } from 'protocol'
import type { Clock } from '../../lib/clock.ts'
import type { ActiveRun } from '../active-run.ts'
import type { Draft, Given, StoredEntry, StoredSession, TranscriptStore } from './transcript-store.ts'

export type Publish = (sessionId: string, event: keyof ChatEvents, payload: object) => void

/** A session with runs in memory: gives every event its `seq` and sends it to whoever watches. */
export type LiveSession = {
  readonly id: string
  readonly title: string
  /** The agent that it belongs to. */
  readonly agent: string
  /** What would change something is described and not run. */
  isRehearsal: boolean
  /** Running ones by id: at most one from the chat, any number of MCP calls. */
  readonly runs: Map<string, ActiveRun>
  nextSeq(): number
  /** Stores the entry; what it returns makes it the run's and shows it, once it is committed. */
  keep(run: Appending, draft: Draft & Given): { entry: StoredEntry; show(): void }
  /** Stores the entry, then shows it. */
  append(run: Appending, draft: Draft & Given): StoredEntry
  emit(runId: string, event: keyof ChatEvents, payload: object): void
  rename(title: string): void
  /** Writes the exact seq down, where it is not yet; called when a run has ended. */
  storeSeq(): void
}

type Appending = { row: { id: string }; entries: StoredEntry[] }

/** How many numbers one write reserves, so that a crash never leads to a number's second use. */
const reservedAtOnce = 5_000

export function createLiveSession(
  session: StoredSession,
  parts: {
    store: TranscriptStore
    publish: Publish
    clock: Clock
    afterCommit(run: () => void): void
    report(error: unknown, message: string): void
    /** An entry as clients see it. */
    toWire(entry: StoredEntry): Entry
  },
): LiveSession {
  const { store, publish, clock, toWire } = parts
  const { id, agent } = session
  let { title, nextSeq } = session
  let reserved = nextSeq
  let undone = store.undone()

  function takeSeq() {
    // A rolled-back transaction also rolls back the numbers that it reserved.
    if (nextSeq >= reserved || store.undone() !== undone) {
      const isPartOfMore = store.isInTransaction()
      try {
        store.reserveSeq(id, nextSeq + reservedAtOnce, clock.now())
        reserved = nextSeq + reservedAtOnce
        undone = store.undone()
      } catch (error) {
        // A full disk may have ended the transaction, so later writes would no longer belong to it.
        if (isPartOfMore) throw error
        // Streaming continues while the disk is full; storing the next entry reports the failure.
        parts.report(error, 'no numbers could be set aside')
      }
    }
    return nextSeq++
  }

  const keep: LiveSession['keep'] = (run, draft) => {
    const entry = { ...draft, seq: takeSeq(), runId: run.row.id, at: clock.now() } as StoredEntry
    store.append(id, entry)
    return {
      entry,
      show() {
        run.entries.push(entry)
        const { type, ...payload } = toWire(entry)
        publish(id, `chat:${type}`, { sessionId: id, ...payload })
      },
    }
  }

  return {
    id,
    agent,
    isRehearsal: session.isRehearsal,
    runs: new Map(),
    get title() {
      return title
    },
    nextSeq: () => nextSeq,
    keep,
    append(run, draft) {
      const { entry, show } = keep(run, draft)
      parts.afterCommit(show)
      return entry
    },
    emit: (runId, event, payload) => publish(id, event, { sessionId: id, runId, seq: takeSeq(), ...payload }),
    rename(next) {
      title = next
      store.renameSession(id, next)
    },
    storeSeq() {
      if (reserved === nextSeq) return
      store.reserveSeq(id, nextSeq, clock.now())
      reserved = nextSeq
    },
  }
}

import { JarvisError } from 'protocol'
import type { RunSession } from '../run.ts'
import { LiveSession, type LiveSessionParts } from './live-session.ts'
import type { StoredSession, TranscriptStore } from './transcript-store.ts'

/** The sessions in memory. A session is in memory while a run in it is in progress. */
export class LiveSessions {
  readonly #parts: LiveSessionParts & { store: Pick<TranscriptStore, 'session'> }
  readonly #live = new Map<string, LiveSession>()
  readonly #removed = new Set<string>()

  constructor(parts: LiveSessionParts & { store: Pick<TranscriptStore, 'session'> }) {
    this.#parts = parts
  }

  /** @throws JarvisError `unknown_session`, also while the session is being removed */
  stored(sessionId: string): StoredSession {
    const session = this.#parts.store.session(sessionId)
    if (session === undefined || this.#removed.has(sessionId)) {
      throw new JarvisError('unknown_session', 'There is no such session. It may be deleted.')
    }
    return session
  }

  /** Returns the session, and loads it into memory if needed. @throws JarvisError `unknown_session` */
  open(sessionId: string): LiveSession {
    const known = this.#live.get(sessionId)
    if (known !== undefined && !this.#removed.has(sessionId)) return known
    const session = new LiveSession(this.stored(sessionId), this.#parts)
    this.#live.set(sessionId, session)
    return session
  }

  get(sessionId: string): LiveSession | undefined {
    return this.#live.get(sessionId)
  }

  all(): Iterable<LiveSession> {
    return this.#live.values()
  }

  /** Stores the session’s `seq` and removes the session from memory, if no run in it is in progress. */
  leave(session: Pick<RunSession, 'id' | 'runs' | 'storeSeq'>): void {
    if (session.runs.size > 0) return
    session.storeSeq()
    this.#live.delete(session.id)
  }

  /**
   * Removes the session from memory without a write, if no run in it is in progress. Used after a failed transaction, because the session in memory
   * may hold changes that were not stored.
   */
  drop(sessionId: string): void {
    if (this.#live.get(sessionId)?.runs.size === 0) this.#live.delete(sessionId)
  }

  /** Runs `work`, which deletes the session. Until `work` has ended, the session counts as unknown. */
  async removing(sessionId: string, work: () => Promise<void>): Promise<void> {
    this.#removed.add(sessionId)
    try {
      await work()
    } finally {
      this.#removed.delete(sessionId)
    }
  }
}

import { JarvisError } from 'protocol'
import { createLiveSession, type LiveSession } from './live-session.ts'
import type { StoredSession } from './transcript-store.ts'

/** The sessions in memory: each as long as runs go on in it. */
export type LiveSessions = {
  /** @throws JarvisError `unknown_session`, also where it is being removed */
  stored(sessionId: string): StoredSession
  /** Takes it into memory where it is not. @throws JarvisError `unknown_session` */
  open(sessionId: string): LiveSession
  get(sessionId: string): LiveSession | undefined
  all(): Iterable<LiveSession>
  /** Writes down where it stands and lets go of it, where nothing goes on in it. */
  leave(session: LiveSession): void
  /** The same without a write, where what it holds may not have been stored. */
  drop(sessionId: string): void
  /** Runs `work`; until it has ended, the session counts as unknown. */
  removing(sessionId: string, work: () => Promise<void>): Promise<void>
}

export function createLiveSessions(parts: Parameters<typeof createLiveSession>[1]): LiveSessions {
  const live = new Map<string, LiveSession>()
  const removed = new Set<string>()

  function stored(sessionId: string) {
    const session = parts.store.session(sessionId)
    if (session === undefined || removed.has(sessionId)) {
      throw new JarvisError('unknown_session', 'There is no such session. It may be deleted.')
    }
    return session
  }

  return {
    stored,
    open(sessionId) {
      const known = live.get(sessionId)
      if (known !== undefined && !removed.has(sessionId)) return known
      const session = createLiveSession(stored(sessionId), parts)
      live.set(sessionId, session)
      return session
    },
    get: (sessionId) => live.get(sessionId),
    all: () => live.values(),
    leave(session) {
      if (session.runs.size > 0) return
      session.storeSeq()
      live.delete(session.id)
    },
    drop(sessionId) {
      if (live.get(sessionId)?.runs.size === 0) live.delete(sessionId)
    },
    async removing(sessionId, work) {
      removed.add(sessionId)
      try {
        await work()
      } finally {
        removed.delete(sessionId)
      }
    },
  }
}

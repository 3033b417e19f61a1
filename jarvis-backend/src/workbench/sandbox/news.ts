import type { Clock } from '../../lib/clock.ts'

/** The least time between two events. */
const everyMs = 400

/**
 * Tells that there is more to see of the commands: once after each look at a session, and at most every 400 ms. Nothing is told of a session
 * that nobody looks at.
 */
export function createNews(clock: Clock, tell: () => void) {
  const awaited = new Set<string>()
  let toldAt = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined
  return {
    /** Somebody reads now what the session's commands have printed. */
    looked: (sessionId: string) => void awaited.add(sessionId),
    /** A command of the session began, printed or ended. */
    changed(sessionId: string) {
      if (!awaited.delete(sessionId) || cancel !== undefined) return
      cancel = clock.after(Math.max(0, toldAt + everyMs - clock.now()), () => {
        cancel = undefined
        toldAt = clock.now()
        tell()
      })
    },
    forget: (sessionId: string) => void awaited.delete(sessionId),
    stop: () => cancel?.(),
  }
}

/**
 * Lets askers of one session ask one after the other, in the order they came.
 * @param isTaken whether a question of the session is open
 */
export function createTurns(isTaken: (sessionId: string) => boolean) {
  const queues = new Map<string, (() => void)[]>()
  /** Sessions whose turn is given and whose question is not stored yet. */
  const given = new Set<string>()

  return {
    /** Resolves when it is the caller's turn to ask in the session; `ended` ends the turn. @throws the signal's reason */
    async next(sessionId: string, signal: AbortSignal): Promise<void> {
      signal.throwIfAborted()
      while (given.has(sessionId) || isTaken(sessionId)) {
        await new Promise<void>((resolve, reject) => {
          const queue = queues.get(sessionId) ?? []
          queues.set(sessionId, queue)
          const go = () => {
            signal.removeEventListener('abort', giveUp)
            resolve()
          }
          const giveUp = () => {
            queue.splice(queue.indexOf(go), 1)
            reject(signal.reason)
          }
          queue.push(go)
          signal.addEventListener('abort', giveUp, { once: true })
        })
      }
      given.add(sessionId)
    },
    /** The session's question has ended, or was not asked: the next asker begins. */
    ended(sessionId: string) {
      given.delete(sessionId)
      const queue = queues.get(sessionId)
      queue?.shift()?.()
      if (queue?.length === 0) queues.delete(sessionId)
    },
  }
}

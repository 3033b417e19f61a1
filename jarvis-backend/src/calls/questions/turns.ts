/** Lets the askers of one session ask one after the other, in the order in which they came. */
export class Turns {
  readonly #isTaken: (sessionId: string) => boolean
  readonly #queues = new Map<string, (() => void)[]>()
  /** Sessions in which an asker has the turn and has not stored its question yet. */
  readonly #given = new Set<string>()

  /** @param isTaken returns true if the session has an open question */
  constructor(isTaken: (sessionId: string) => boolean) {
    this.#isTaken = isTaken
  }

  /** Resolves when it is the caller's turn to ask in the session. The caller ends its turn with `ended`. @throws the signal's reason */
  async next(sessionId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (this.#given.has(sessionId) || this.#isTaken(sessionId)) {
      await new Promise<void>((resolve, reject) => {
        const queue = this.#queues.get(sessionId) ?? []
        this.#queues.set(sessionId, queue)
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
    this.#given.add(sessionId)
  }

  /** Ends the turn: the session's question has ended, or was not asked. The next asker may begin. */
  ended(sessionId: string): void {
    this.#given.delete(sessionId)
    const queue = this.#queues.get(sessionId)
    queue?.shift()?.()
    if (queue?.length === 0) this.#queues.delete(sessionId)
  }
}

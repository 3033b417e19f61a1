/** Lets askers of one session ask one after the other, in the order they came. */
export class Turns {
  readonly #isTaken: (sessionId: string) => boolean
  readonly #queues = new Map<string, (() => void)[]>()
  /** Sessions whose turn is given and whose question is not stored yet. */
  readonly #given = new Set<string>()

  /** @param isTaken returns whether a question of the session is open */
  constructor(isTaken: (sessionId: string) => boolean) {
    this.#isTaken = isTaken
  }

  /** Resolves when it is the caller's turn to ask in the session; `ended` ends the turn. @throws the signal's reason */
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

  /** The session's question has ended, or was not asked: the next asker begins. */
  ended(sessionId: string): void {
    this.#given.delete(sessionId)
    const queue = this.#queues.get(sessionId)
    queue?.shift()?.()
    if (queue?.length === 0) this.#queues.delete(sessionId)
  }
}

import type { ChatEvents } from 'protocol'

/** Receives the events of a session: for a screen, an MCP client’s call, or a program. */
export type Watcher = {
  /** True for an operator’s watcher: a card sent to it counts as seen. */
  isOperator: boolean
  /** Called synchronously and in order for each event; for an entry, after it is stored. Must not block. */
  tell<E extends keyof ChatEvents>(event: E, payload: ChatEvents[E]): void
}

/** The watchers of each session, regardless of the interface they use. */
export class Watchers {
  readonly #report: (error: unknown, message: string) => void
  readonly #bySession = new Map<string, Set<Watcher>>()

  constructor(report: (error: unknown, message: string) => void) {
    this.#report = report
  }

  /** Adds a watcher. @returns a function that removes it */
  add(sessionId: string, watcher: Watcher): () => void {
    const watching = this.#bySession.get(sessionId) ?? new Set()
    this.#bySession.set(sessionId, watching.add(watcher))
    return () => {
      watching.delete(watcher)
      if (watching.size === 0 && this.#bySession.get(sessionId) === watching) this.#bySession.delete(sessionId)
    }
  }

  /** True if an operator watches the session. */
  isWatched(sessionId: string): boolean {
    return [...(this.#bySession.get(sessionId) ?? [])].some((one) => one.isOperator)
  }

  /** Sends an event to all watchers of a session. An error of one watcher affects neither the other watchers nor the run. */
  publish(sessionId: string, event: keyof ChatEvents, payload: object): void {
    for (const watcher of this.#bySession.get(sessionId) ?? []) {
      try {
        watcher.tell(event, payload as ChatEvents[typeof event])
      } catch (error) {
        this.#report(error, `a watcher of ${sessionId} could not be told of ${event}`)
      }
    }
  }
}

import type { ChatEvents } from 'protocol'

/** Hears what happens in a session: a screen, an MCP client's call, a program. */
export type Watcher = {
  /** True for an operator's watcher: a card that it is told of counts as seen. */
  isOperator: boolean
  /** Called synchronously and in order, for each event once it is stored. Must not block. */
  tell<E extends keyof ChatEvents>(event: E, payload: ChatEvents[E]): void
}

/** The watchers of each session, through whatever door they came. */
export class Watchers {
  readonly #report: (error: unknown, message: string) => void
  readonly #bySession = new Map<string, Set<Watcher>>()

  constructor(report: (error: unknown, message: string) => void) {
    this.#report = report
  }

  /** @returns ends the watching */
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

  /** Tells all watchers of a session. An error of one watcher reaches neither the others nor the run. */
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

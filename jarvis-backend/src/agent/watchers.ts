import type { ChatEvents } from 'protocol'

/** Whoever hears what happens in a session: a screen, an MCP client's call, a program. */
export type Watcher = {
  /** An operator's: a card that it is told of counts as seen. */
  isOperator: boolean
  /** Called synchronously and in order, for each event once it is stored. Must not block. */
  tell<E extends keyof ChatEvents>(event: E, payload: ChatEvents[E]): void
}

export type Watchers = ReturnType<typeof createWatchers>

/** Who watches which session, through whatever door they came. */
export function createWatchers(report: (error: unknown, message: string) => void) {
  const bySession = new Map<string, Set<Watcher>>()
  return {
    /** @returns a function that ends it. */
    add(sessionId: string, watcher: Watcher): () => void {
      const watching = bySession.get(sessionId) ?? new Set()
      bySession.set(sessionId, watching.add(watcher))
      return () => {
        watching.delete(watcher)
        if (watching.size === 0 && bySession.get(sessionId) === watching) bySession.delete(sessionId)
      }
    },
    isWatched: (sessionId: string): boolean => [...(bySession.get(sessionId) ?? [])].some((one) => one.isOperator),
    /** A watcher that fails keeps nothing from the others, nor from the run. */
    publish(sessionId: string, event: keyof ChatEvents, payload: object) {
      for (const watcher of bySession.get(sessionId) ?? []) {
        try {
          watcher.tell(event, payload as ChatEvents[typeof event])
        } catch (error) {
          report(error, `a watcher of ${sessionId} could not be told of ${event}`)
        }
      }
    },
  }
}

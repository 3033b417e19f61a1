/** An MCP call whose client asks later what became of it. `at`: when it was asked for, Unix ms. */
export type KeptRun = { id: string; sessionId: string; tokenName: string; at: number }

/** How long the end of such a call can be asked for, from when it was asked for. */
export const keptRunMs = 30 * 24 * 60 * 60_000

/** Which calls go on without their clients, after a restart too. */
export interface KeptRunStore {
  /** No-op where it is kept already. Forgets those of its session that are past their time and have ended. */
  keep(run: KeptRun): void
  get(runId: string): KeptRun | undefined
  /** Newest first, at most `limit`. */
  list(sessionId: string, limit: number): KeptRun[]
}

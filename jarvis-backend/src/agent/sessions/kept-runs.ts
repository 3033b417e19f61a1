/** An MCP call whose client asks later for the outcome. `at`: the time of the call, Unix ms. */
export type KeptRun = { id: string; sessionId: string; tokenName: string; at: number }

/** How long the outcome of such a call can be asked for, from the time of the call on, ms. */
export const keptRunMs = 30 * 24 * 60 * 60_000

/** The calls that go on without their clients. They are kept over restarts. */
export interface KeptRunStore {
  /** Keeps a call; no-op if it is kept already. Forgets the session's calls that have ended and are past their time. */
  keep(run: KeptRun): void
  get(runId: string): KeptRun | undefined
  /** Newest first, at most `limit`. */
  list(sessionId: string, limit: number): KeptRun[]
}

/** An MCP call whose client asks later for the outcome. `at`: the time of the call, Unix ms. */
export type KeptRun = { id: string; sessionId: string; tokenName: string; at: number }

/** The time after the call in which its outcome can be asked for, ms. */
export const keptRunMs = 30 * 24 * 60 * 60_000

/** Stores the calls that continue after their client has gone. They survive restarts. */
export interface KeptRunStore {
  /** Stores a call; no-op if it is already stored. Deletes the session’s calls that have ended and are older than `keptRunMs`. */
  keep(run: KeptRun): void
  get(runId: string): KeptRun | undefined
  /** Newest first, at most `limit`. */
  list(sessionId: string, limit: number): KeptRun[]
}

/** An MCP call whose client asks later what became of it. `at`: when it was asked for, Unix ms. */
export type KeptRun = { id: string; sessionId: string; tokenName: string; at: number }

/** Which calls go on without their clients, after a restart too. */
export interface KeptRuns {
  /** No-op where it is kept already. */
  keep(run: KeptRun): void
  get(runId: string): KeptRun | undefined
  /** Newest first, at most `limit`. */
  list(sessionId: string, limit: number): KeptRun[]
}

import type { BudgetLimits, Spending } from 'protocol'

/** The purpose of a model call. */
export type SpendKind = 'turn' | 'wrap_up' | 'title' | 'compaction' | 'embedding' | 'plain' | 'try'

/**
 * One call of a model. `isOpen`: the call still runs, and counts with the most that it could use. `usd` undefined: the price is not known.
 * `ms`: the call's duration.
 */
export type Spend = {
  at: number
  kind: SpendKind
  model: string
  agent: string
  runId?: string
  jobId?: string
  tokens: number
  usd: number | undefined
  ms: number
  isOpen: boolean
  isPartial: boolean
}

/** Selects the calls to sum: those of a run, or those since an instant. All given fields must match; `isJob`: calls of any job. */
export type SpendQuery = { runId: string } | DayQuery
export type DayQuery = { since?: number; agent?: string; jobId?: string; isJob?: true }

/** A run as the budgets know it. `slice`: a child's part of its parent's limits. `stoodMs`: how long JARVIS was down while the run was unfinished. */
export type RunRecord = {
  runId: string
  sessionId: string
  parentId?: string
  slice?: BudgetLimits
  /** False once a child has ended and has given back what it did not use. */
  isOpen: boolean
  raisedUsd: number
  stoodMs: number
  /** A last answer without tools was asked for; there is no second one. */
  hasWrappedUp?: true
}

/** Keeps the calls of models, and the slices and raises of runs. */
export interface SpendingStore {
  /** @returns its number */
  add(spend: Spend): number
  /** Closes an open call with what it used. */
  settle(id: number, used: Pick<Spend, 'tokens' | 'usd' | 'ms' | 'isPartial'>): void
  /** Changes the most that an open call could use. */
  grow(id: number, most: Pick<Spend, 'tokens' | 'usd'>): void
  /** Drops a call that never reached a model. */
  remove(id: number): void
  /** Closes all open calls, which then count with the most that they could use. @returns how many */
  closeAll(): number
  sum(query: SpendQuery): Spending
  /** The day's sums by a field. */
  sumsBy(field: 'agent' | 'jobId' | 'kind', since: number): { key: string; spent: Spending }[]
  /** Models without a known price that were called from an instant on. */
  unpricedSince(since: number): string[]
  run(runId: string): RunRecord | undefined
  saveRun(run: RunRecord): void
  childrenOf(runId: string): RunRecord[]
  /** Drops calls and runs older than `before`. */
  prune(before: number): void
}

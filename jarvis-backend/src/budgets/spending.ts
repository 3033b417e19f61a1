import type { BudgetLimits, Spending } from 'protocol'

/** The purpose of a model call. */
export type SpendKind = 'turn' | 'wrap_up' | 'title' | 'compaction' | 'embedding' | 'plain' | 'try'

/**
 * One call of a model. `isOpen`: the call is still in progress, and counts with the maximum that it could use. `usd` undefined: the price is not
 * known. `ms`: the call’s duration.
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

/**
 * Selects the calls to add up: the calls of a run, or the calls since `since`, Unix ms. A call must match all given fields. `isJob`: calls of any
 * job.
 */
export type SpendQuery = { runId: string } | DayQuery
export type DayQuery = { since?: number; agent?: string; jobId?: string; isJob?: true }

/**
 * The budgets’ record of a run. `slice`: for a child run, its part of the parent’s limits. `stoodMs`: how long JARVIS was down while the run was
 * unfinished, ms.
 */
export type RunRecord = {
  runId: string
  sessionId: string
  parentId?: string
  slice?: BudgetLimits
  /** False when a child run has ended and the unused rest of its slice has gone back to the parent. */
  isOpen: boolean
  raisedUsd: number
  stoodMs: number
  /** True if the last answer without tools was already asked for; it is asked for only once. */
  hasWrappedUp?: true
}

/** Stores the calls of models, and the slices and raises of runs. */
export interface SpendingStore {
  /** Stores a call. @returns the call’s id */
  add(spend: Spend): number
  /** Closes an open call, and stores the amounts that it used. */
  settle(id: number, used: Pick<Spend, 'tokens' | 'usd' | 'ms' | 'isPartial'>): void
  /** Changes the maximum that an open call could use. */
  grow(id: number, most: Pick<Spend, 'tokens' | 'usd'>): void
  /** Removes a call that did not reach a model. */
  remove(id: number): void
  /** Closes all open calls. They then count with the maximum that they could use. @returns the number of closed calls */
  closeAll(): number
  sum(query: SpendQuery): Spending
  /** Returns the sums of the calls since `since`, grouped by a field. */
  sumsBy(field: 'agent' | 'jobId' | 'kind', since: number): { key: string; spent: Spending }[]
  /** Returns the models without a known price that were called since `since`. */
  unpricedSince(since: number): string[]
  run(runId: string): RunRecord | undefined
  saveRun(run: RunRecord): void
  childrenOf(runId: string): RunRecord[]
  /** Deletes calls and runs older than `before`, Unix ms. */
  prune(before: number): void
}

import type { BudgetLimits, Spending } from 'protocol'

/** What a model was called for. */
export type SpendKind = 'turn' | 'wrap_up' | 'title' | 'compaction' | 'embedding' | 'plain' | 'try'

/**
 * One call of a model. `isOpen`: it goes on, and counts with the most that it could use. `usd` undefined: the price is not known.
 * `ms`: how long it took.
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

/** Whose calls to sum: a run's, or those since an instant. Fields are AND; `isJob`: of any job. */
export type SpendQuery = { runId: string } | DayQuery
export type DayQuery = { since?: number; agent?: string; jobId?: string; isJob?: true }

/** A run as the budgets know it. `slice`: of a child, what it took from its parent. `stoodMs`: how long JARVIS was down meanwhile. */
export type RunRecord = {
  runId: string
  sessionId: string
  parentId?: string
  slice?: BudgetLimits
  /** A child gives back what it did not use when it ends. */
  isOpen: boolean
  raisedUsd: number
  stoodMs: number
  /** A last answer without tools was asked for; there is no second one. */
  hasWrappedUp?: true
}

/** Keeps each call of a model, and what runs may use. */
export interface SpendingStore {
  /** @returns its number */
  add(spend: Spend): number
  /** Replaces what an open call counts with, and closes it. */
  settle(id: number, used: Pick<Spend, 'tokens' | 'usd' | 'ms' | 'isPartial'>): void
  /** Changes what an open call counts with. */
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

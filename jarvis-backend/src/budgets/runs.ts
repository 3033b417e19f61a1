import type { BudgetLimits, Spending } from 'protocol'
import type { RunRecord, SpendingStore } from './spending.ts'

const units = ['calls', 'tokens', 'usd', 'minutes'] as const

/** Multiplies each limit that is set. */
export const scaled = (limits: BudgetLimits, factor: number): BudgetLimits =>
  Object.fromEntries(
    units.flatMap((unit) => {
      const most = limits[unit]
      if (most === undefined) return []
      return [[unit, unit === 'calls' || unit === 'tokens' ? Math.round(most * factor) : most * factor]]
    }),
  )

/**
 * Returns a run’s limits after operators raised them. Each limit grows by the same ratio as the dollar limit (1 US dollar if there is none), so a
 * raise by the whole dollar limit doubles all limits.
 */
export function raisedLimits(base: BudgetLimits, raisedUsd: number): BudgetLimits {
  return raisedUsd === 0 ? base : scaled(base, 1 + raisedUsd / (base.usd ?? 1))
}

/** Returns the lower of two limits for each unit. */
export function strictest(one: BudgetLimits, other: BudgetLimits): BudgetLimits {
  const limits: BudgetLimits = { ...one }
  for (const unit of units) {
    const most = other[unit]
    if (most !== undefined) limits[unit] = Math.min(most, limits[unit] ?? most)
  }
  return limits
}

/**
 * Returns the use that counts against a run: its own calls and the calls of its child runs. A child run that still works counts with at least its
 * slice; an ended one counts with its actual use.
 */
export function spentOfRun(store: Pick<SpendingStore, 'sum' | 'childrenOf'>, runId: string): Spending {
  return store.childrenOf(runId).reduce((sum, child) => plus(sum, countedFor(store, child)), store.sum({ runId }))
}

function countedFor(store: Pick<SpendingStore, 'sum' | 'childrenOf'>, child: RunRecord): Spending {
  const used = spentOfRun(store, child.runId)
  if (!child.isOpen) return used
  const { slice = {} } = child
  return {
    ...used,
    calls: Math.max(used.calls, slice.calls ?? 0),
    tokens: Math.max(used.tokens, slice.tokens ?? 0),
    usd: Math.max(used.usd, slice.usd ?? 0),
  }
}

const plus = (a: Spending, b: Spending): Spending => ({
  calls: a.calls + b.calls,
  tokens: a.tokens + b.tokens,
  usd: a.usd + b.usd,
  unpriced: a.unpriced + b.unpriced,
  minutes: a.minutes + b.minutes,
  ...((a.isPartial || b.isPartial) && { isPartial: true as const }),
})

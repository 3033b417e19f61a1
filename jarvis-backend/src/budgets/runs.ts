import type { BudgetLimits, Spending } from 'protocol'
import type { RunRecord, SpendingStore } from './spending.ts'

const units = ['calls', 'tokens', 'usd', 'minutes'] as const

/** Multiplies each limit, except absent ones. */
export const scaled = (limits: BudgetLimits, factor: number): BudgetLimits =>
  Object.fromEntries(
    units.flatMap((unit) => {
      const most = limits[unit]
      if (most === undefined) return []
      return [[unit, unit === 'calls' || unit === 'tokens' ? Math.round(most * factor) : most * factor]]
    }),
  )

/** A run's limits with the raises of operators. A raise by the run's whole dollar limit doubles all of its limits. */
export function raisedLimits(base: BudgetLimits, raisedUsd: number): BudgetLimits {
  return raisedUsd === 0 ? base : scaled(base, 1 + raisedUsd / (base.usd ?? 1))
}

/** The stricter of two limits, unit by unit. */
export function strictest(one: BudgetLimits, other: BudgetLimits): BudgetLimits {
  const limits: BudgetLimits = { ...one }
  for (const unit of units) {
    const most = other[unit]
    if (most !== undefined) limits[unit] = Math.min(most, limits[unit] ?? most)
  }
  return limits
}

/** The use that counts against a run: its own calls, and each child's. A working child counts with at least its slice, an ended one with what it used. */
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

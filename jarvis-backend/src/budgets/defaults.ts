import type { Budgets } from 'protocol'

/** The limits of a new installation. Calls of a run include those of its child runs. */
export const usualBudgets: Budgets = {
  run: { calls: 40, tokens: 500_000, usd: 1, minutes: 15 },
  // The token limit applies if a price is not known. It equals twenty runs that use their whole limit.
  day: { tokens: 10_000_000, usd: 5 },
  // Lower than the limits of the day, so that jobs stop before the chat does.
  jobs: { tokens: 4_000_000, usd: 2 },
  agents: {},
}

/** The time at the end of a run’s limit that is reserved for its last answer, ms. */
export const wrapUpMs = 60_000
/** Share of a limit above which a person is warned, 0..1. */
export const nearRatio = 0.9
/** The share of its parent’s remaining limits that a child run gets, 0..1. */
export const usualShare = 0.3

import type { Budgets } from 'protocol'

/** The limits of a new installation. Calls of a run include those of its child runs. */
export const usualBudgets: Budgets = {
  run: { calls: 40, tokens: 500_000, usd: 1, minutes: 15 },
  // Tokens decide if a price is not known: as many as in twenty full runs.
  day: { tokens: 10_000_000, usd: 5 },
  // Jobs stop before the chat does.
  jobs: { tokens: 4_000_000, usd: 2 },
  agents: {},
}

/** The part of its time that a run keeps for its last answer, ms. */
export const wrapUpMs = 60_000
/** The part of a limit from which on a person is warned, 0..1. */
export const nearRatio = 0.9
/** The share of its parent's remaining limits that a child run takes, 0..1. */
export const usualShare = 0.3

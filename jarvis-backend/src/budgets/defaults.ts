import type { Budgets } from 'protocol'

/** The limits of a new installation. Calls of a run include those of its child runs. */
export const usualBudgets: Budgets = {
  run: { calls: 40, tokens: 500_000, usd: 1, minutes: 15 },
  // Tokens decide where a price is not known: as many as twenty full runs.
  day: { tokens: 10_000_000, usd: 5 },
  // Jobs stop before the chat does.
  jobs: { tokens: 4_000_000, usd: 2 },
  agents: {},
}

/** How much of its time a run keeps for the last answer, ms. */
export const wrapUpMs = 60_000
/** From which part of a limit on a person is told, 0..1. */
export const nearRatio = 0.9
/** How much of what is left a child run takes, 0..1. */
export const usualShare = 0.3

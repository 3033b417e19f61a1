import type { CostOf } from '../agent/spent.ts'
import { createBudgetSettings, createKeeper } from '../budgets/index.ts'
import { midnightOf, ownZone } from '../jobs/zone.ts'
import type { BudgetLimits } from '../protocol/index.ts'
import { createSpendingStore } from '../store/sqlite/spending.ts'
import type { Foundation } from './foundation.ts'

/** How long the calls of models are kept, ms. */
const keptMs = 400 * 24 * 60 * 60_000

/** Wires the limits of what models use. Calls that the last process left open count from now on with the most that they could use. */
export function composeBudgets(
  foundation: Pick<Foundation, 'database' | 'settings' | 'now'>,
  parts: { costOf: CostOf; agentLimits(agent: string): BudgetLimits; jobLimits(jobId: string): BudgetLimits },
) {
  const { now } = foundation
  const store = createSpendingStore(foundation.database)
  const settings = createBudgetSettings(foundation.settings)
  const zone = ownZone()
  let day = { from: 0, until: 0 }
  /** The last midnight. It is computed once a day, because a zone's clock is slow to ask. */
  function midnight() {
    const at = now()
    if (at < day.from || at >= day.until) {
      const from = midnightOf(zone, at)
      // A day of 23 hours ends before; an hour is near enough to look again.
      day = { from, until: Math.min(from + 23 * 60 * 60_000, at + 60 * 60_000) }
      if (day.until <= at) day.until = at + 60_000
    }
    return day.from
  }
  const keeper = createKeeper({ ...parts, store, now, midnight, budgets: settings.current })
  store.closeAll()
  store.prune(now() - keptMs)
  return { keeper, settings, store, midnight, zone }
}

export type ComposedBudgets = ReturnType<typeof composeBudgets>

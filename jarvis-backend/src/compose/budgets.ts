import type { CostOf } from '../agent/spent.ts'
import type { Agent } from '../agents/agent.ts'
import { createBudgetSettings, createKeeper, type OwnLimits } from '../budgets/index.ts'
import { midnightOf } from '../jobs/zone.ts'
import { oldBefore } from '../lib/clock.ts'
import { ownZone } from '../lib/zone.ts'
import type { BudgetLimits, JobBudget } from '../protocol/index.ts'
import { createSpendingStore } from '../store/sqlite/spending.ts'
import type { Foundation } from './foundation.ts'

/** How long the calls of models are kept, ms. */
const keptMs = 400 * 24 * 60 * 60_000

/** Limits of a job as the keeper has them. */
export const limitsOfJob = ({ budget }: { budget: JobBudget }): OwnLimits => ({
  run: limitsOf(budget.callsPerRun, budget.tokensPerRun, budget.usdPerRun, budget.minutesPerRun),
  day: limitsOf(budget.callsPerDay, budget.tokensPerDay, budget.usdPerDay, budget.minutesPerDay),
})

/** Limits of an agent as the keeper has them. */
export const limitsOfAgent = ({ budget: { run = {}, ...day } }: Pick<Agent, 'budget'>): OwnLimits => ({ run, day })

type Amount = number | undefined
const limitsOf = (calls: Amount, tokens: Amount, usd: Amount, minutes: Amount): BudgetLimits => ({
  ...(calls !== undefined && { calls }),
  ...(tokens !== undefined && { tokens }),
  ...(usd !== undefined && { usd }),
  ...(minutes !== undefined && { minutes }),
})

/** Wires the limits of what models use. Calls that the last process left open count from now on with the most that they could use. */
export function composeBudgets(
  foundation: Pick<Foundation, 'clock' | 'database' | 'settings' | 'now'>,
  parts: { costOf: CostOf; agentLimits(agent: string): OwnLimits; jobLimits(jobId: string): OwnLimits },
) {
  const { clock, now } = foundation
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
  store.prune(oldBefore(clock, keptMs))
  return { keeper, settings, store, midnight, zone }
}

export type ComposedBudgets = ReturnType<typeof composeBudgets>

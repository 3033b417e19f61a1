import type { BudgetLimits, JobBudget } from 'protocol'
import { type BudgetState, type BudgetsReply, JarvisError, mainAgentId, type RunBudget } from 'protocol'
import type { Draft, TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { CostOf } from '../agent/spent.ts'
import type { Agent } from '../agents/agent.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom } from '../house.ts'
import { budgetRoutes } from '../http/budgets.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { midnightOf } from '../jobs/zone.ts'
import { oldBefore } from '../lib/clock.ts'
import { ownZone } from '../lib/zone.ts'
import { SqliteSpendingStore } from '../store/sqlite/spending.ts'
import {
  type BudgetSettings,
  createBudgetSettings,
  createKeeper,
  dollars,
  type Keeper,
  type OwnLimits,
} from './index.ts'
import type { SpendingStore } from './spending.ts'

/** The time for which model calls stay stored, ms. */
const keptMs = 400 * 24 * 60 * 60_000

/** Converts a job's budget to the limits per run and per day that the budget keeper takes. */
const limitsOfJob = ({ budget }: { budget: JobBudget }): OwnLimits => ({
  run: limitsOf({
    calls: budget.callsPerRun,
    tokens: budget.tokensPerRun,
    usd: budget.usdPerRun,
    minutes: budget.minutesPerRun,
  }),
  day: limitsOf({
    calls: budget.callsPerDay,
    tokens: budget.tokensPerDay,
    usd: budget.usdPerDay,
    minutes: budget.minutesPerDay,
  }),
})

/** Converts an agent's budget to the limits per run and per day that the budget keeper takes. */
const limitsOfAgent = ({ budget: { run = {}, ...day } }: Pick<Agent, 'budget'>): OwnLimits => ({ run, day })

type Amounts = Record<'calls' | 'tokens' | 'usd' | 'minutes', number | undefined>
const limitsOf = ({ calls, tokens, usd, minutes }: Amounts): BudgetLimits => ({
  ...(calls !== undefined && { calls }),
  ...(tokens !== undefined && { tokens }),
  ...(usd !== undefined && { usd }),
  ...(minutes !== undefined && { minutes }),
})

/** The room of the limits on model use. Calls that were still open when the last process stopped count with the maximum that they could use. */
export const budgetsRoom = defineRoom({
  name: 'budgets',
  open(needs: {
    foundation: Foundation
    costOf: CostOf
    agents: { find(id: string): Pick<Agent, 'budget'> | undefined }
    jobStore: { get(id: string): { budget: JobBudget } | undefined }
  }) {
    const { foundation, costOf, agents, jobStore } = needs
    const budgets = openBudgets(foundation, {
      costOf,
      agentLimits(id) {
        const agent = agents.find(id)
        return agent === undefined ? { run: {}, day: {} } : limitsOfAgent(agent)
      },
      jobLimits(id) {
        const job = jobStore.get(id)
        return job === undefined ? { run: {}, day: {} } : limitsOfJob(job)
      },
    })
    return { budgets }
  },
})

function openBudgets(
  foundation: Pick<Foundation, 'clock' | 'database' | 'settings' | 'now'>,
  parts: { costOf: CostOf; agentLimits(agent: string): OwnLimits; jobLimits(jobId: string): OwnLimits },
): ComposedBudgets {
  const { clock, now } = foundation
  const store = new SqliteSpendingStore(foundation.database)
  const settings = createBudgetSettings(foundation.settings)
  const zone = ownZone()
  let day = { from: 0, until: 0 }
  /** Returns the last midnight, Unix ms. It is cached, because computing it in a time zone is slow. */
  function midnight() {
    const at = now()
    if (at < day.from || at >= day.until) {
      const from = midnightOf(zone, at)
      // A day with a clock change may have only 23 hours. The cache is valid for at most an hour.
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

/** The limits, and the calls that count against them. `midnight`: returns the last midnight, Unix ms. `zone`: the time zone in which a day begins. */
export type ComposedBudgets = {
  keeper: Keeper
  settings: BudgetSettings
  store: SpendingStore
  midnight(): number
  zone: string
}

type PageParts = Parameters<typeof routesOf>[1]

/** The room with the routes of budgets. */
export const budgetsPageRoom = defineRoom({
  name: 'budgets-page',
  open: ({ foundation, ...parts }: { foundation: Foundation } & PageParts) => ({
    contributes: { routes: routesOf(foundation, parts) },
  }),
})

function routesOf(
  { journal, database, activity }: Pick<Foundation, 'journal' | 'database' | 'activity'>,
  parts: {
    budgets: ComposedBudgets
    callsPerRun: number
    jobs: Pick<Jobs, 'list'>
    note(sessionId: string, runId: string, entry: Draft): void
    store: Pick<TranscriptStore, 'unfinishedRuns' | 'session'>
  },
) {
  const { budgets, store } = parts
  const { keeper, settings } = budgets

  const running = () => store.unfinishedRuns().filter(({ status }) => status !== 'queued')

  function runBudget({
    id: runId,
    sessionId,
    origin,
  }: {
    id: string
    sessionId: string
    origin: { kind: string }
  }): RunBudget {
    const jobId = 'jobId' in origin && typeof origin.jobId === 'string' ? origin.jobId : undefined
    const agent = store.session(sessionId)?.agent ?? mainAgentId
    const { limits, spent, raisedUsd } = keeper.stateOf({
      runId,
      sessionId,
      agent,
      jobId,
    })
    return { runId, sessionId, limits, spent, ...(raisedUsd > 0 && { raisedUsd }) }
  }

  const stateOf = (who: string, caller: { agent: string; jobId?: string }): BudgetState => {
    const { limits = {}, spent } = keeper.dayScopes(caller).find((scope) => scope.who === who) ?? {}
    return { limits, spent: spent ?? { calls: 0, tokens: 0, usd: 0, unpriced: 0, minutes: 0 } }
  }

  function reply(): BudgetsReply {
    const since = budgets.midnight()
    const now = settings.current()
    const used = (field: 'agent' | 'jobId' | 'kind') => budgets.store.sumsBy(field, since)
    const agents = [...new Set([mainAgentId, ...used('agent').map(({ key }) => key), ...Object.keys(now.agents)])]
    const spentBy = new Map(used('jobId').map(({ key, spent }) => [key, spent]))
    return {
      since,
      zone: budgets.zone,
      run: now.run,
      callsPerRun: parts.callsPerRun,
      day: stateOf('All models together', { agent: mainAgentId }),
      jobs: stateOf('All jobs together', { agent: mainAgentId, jobId: '' }),
      agents: agents.map((id) => ({ id, ...stateOf(`Agent ${id}`, { agent: id }) })),
      eachJob: parts.jobs.list().items.flatMap(({ id, name }) => {
        const state = stateOf('This job', { agent: mainAgentId, jobId: id })
        return spentBy.has(id) || Object.keys(state.limits).length > 0 ? [{ id, name, ...state }] : []
      }),
      kinds: used('kind').map(({ key, spent }) => ({ kind: key, spent })),
      unpriced: budgets.store.unpricedSince(since),
      running: running()
        .map(runBudget)
        .filter(({ spent }) => spent.calls > 0),
    }
  }

  return budgetRoutes({
    reply,
    change(change, by) {
      database.durably(() => {
        const from = settings.current()
        journal.append('settings', { change: 'budgets', by, from, to: settings.change(change) })
      })
      activity.changed({ what: 'settings' })
    },
    raise(runId, usd, by) {
      const row = running().find(({ id }) => id === runId)
      if (row === undefined)
        throw new JarvisError('not_found', 'This run has ended. Ask again: a new run has its own budget.')
      const raised = database.durably(() => {
        const root = keeper.raise({ runId, sessionId: row.sessionId }, usd)
        journal.append('settings', { change: 'budget_raised', by, run: root, session: row.sessionId, usd })
        return root
      })
      const text = `${by} allowed this run ${dollars(usd)} more.`
      parts.note(row.sessionId, raised, { type: 'budget', what: 'raised', text, by, usd })
      return runBudget(running().find(({ id }) => id === raised) ?? row)
    },
  })
}

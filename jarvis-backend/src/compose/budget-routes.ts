import type { Draft, TranscriptStore } from '../agent/sessions/transcript-store.ts'
import { dollars } from '../budgets/index.ts'
import { budgetRoutes } from '../http/budgets.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { type BudgetState, type BudgetsReply, JarvisError, mainAgentId, type RunBudget } from '../protocol/index.ts'
import type { ComposedBudgets } from './budgets.ts'
import type { Foundation } from './foundation.ts'

/** Wires the routes of budgets to the keeper, to jobs and to runs at work. */
export function composeBudgetRoutes(
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
      ...(jobId !== undefined && { jobId }),
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
      ...{ since, zone: budgets.zone, run: now.run, callsPerRun: parts.callsPerRun },
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

import type { BudgetLimits, Budgets, Spending } from 'protocol'
import type { Spender } from '../agent/budgets.ts'
import { raisedLimits, scaled, spentOfRun, strictest } from './runs.ts'
import type { DayQuery, RunRecord, SpendingStore } from './spending.ts'

/** The additional limits of an agent or a job: for each of its runs, and for a day. */
export type OwnLimits = { run: BudgetLimits; day: BudgetLimits }

export type ScopeParts = {
  store: SpendingStore
  /** The last midnight, Unix ms. */
  midnight(): number
  budgets(): Budgets
  /** Returns an agent’s own limits, which apply in addition to the limits in the settings. */
  agentLimits(agent: string): OwnLimits
  jobLimits(jobId: string): OwnLimits
}

/**
 * A set of limits, and the use that counts against them. `who`: the subject of a sentence about a refusal. `near`: the subject of the warning that a
 * limit is near; undefined: nobody is warned.
 */
export type Scope = { who: string; near?: string; limits: BudgetLimits; spent: Spending }

/** The caller of a model. Without a run, only the day’s limits apply. */
export type Caller = Pick<Spender, 'agent' | 'jobId'> & Partial<Spender>

/** Finds all limits that apply to a call. */
export interface Scopes {
  /** Returns the record of a run; a new record if none is stored. */
  recordOf(run: { runId: string; sessionId: string }): RunRecord
  /** Returns a run’s own limits. The limits of a child run are its slice. */
  runLimits(record: RunRecord, caller: Pick<Partial<Caller>, 'agent' | 'jobId'>): BudgetLimits
  /** Returns all scopes of the day, including scopes without a limit. */
  dayScopes(caller: Pick<Caller, 'agent' | 'jobId'>): Scope[]
  /** The scopes that limit a call. */
  of(caller: Caller): Scope[]
}

export function createScopes(parts: ScopeParts): Scopes {
  const { store } = parts

  const recordOf = ({ runId, sessionId }: { runId: string; sessionId: string }): RunRecord =>
    store.run(runId) ?? { runId, sessionId, isOpen: true, raisedUsd: 0, stoodMs: 0 }

  function runLimits(record: RunRecord, { agent, jobId }: Pick<Partial<Caller>, 'agent' | 'jobId'>): BudgetLimits {
    const own = [
      ...(agent === undefined ? [] : [parts.agentLimits(agent).run]),
      ...(jobId === undefined ? [] : [parts.jobLimits(jobId).run]),
    ]
    return raisedLimits(own.reduce(strictest, record.slice ?? parts.budgets().run), record.raisedUsd)
  }

  /** Returns the sum of the raises for the run and its parents, US dollars. */
  function raisedUsd(record: RunRecord): number {
    const parent = record.parentId === undefined ? undefined : store.run(record.parentId)
    return record.raisedUsd + (parent === undefined ? 0 : raisedUsd(parent))
  }

  function runScope(spender: Spender, record: RunRecord): Scope {
    return {
      who: 'This run',
      near: 'this run',
      limits: runLimits(record, spender),
      spent: { ...spentOfRun(store, spender.runId), minutes: spender.activeMs / 60_000 },
    }
  }

  /** Returns the day’s limits for a caller. @param allowedUsd the sum of the raises that operators allowed the run, US dollars */
  function dayLimits({ agent, jobId }: Pick<Caller, 'agent' | 'jobId'>, allowedUsd: number): DayLimits[] {
    const { day, jobs, agents, run } = parts.budgets()
    const more = (limits: BudgetLimits) => withRaise(limits, run, allowedUsd)
    const ofAgent = strictest(agents[agent] ?? {}, parts.agentLimits(agent).day)
    const all: DayLimits[] = [
      { who: 'All models together', near: 'today', limits: more(day), of: {} },
      { who: `Agent ${agent}`, near: `${agent} today`, limits: more(ofAgent), of: { agent } },
    ]
    if (jobId === undefined) return all
    return [
      ...all,
      { who: 'All jobs together', limits: jobs, of: { isJob: true } },
      { who: 'This job', limits: parts.jobLimits(jobId).day, of: { jobId } },
    ]
  }
  const summed = ({ of, ...scope }: DayLimits): Scope => ({
    ...scope,
    spent: store.sum({ since: parts.midnight(), ...of }),
  })

  return {
    recordOf,
    runLimits,
    dayScopes: (caller: Pick<Caller, 'agent' | 'jobId'>): Scope[] => dayLimits(caller, 0).map(summed),
    of(caller: Caller): Scope[] {
      const { runId, sessionId, activeMs } = caller
      const isRun = runId !== undefined && sessionId !== undefined && activeMs !== undefined
      const spender = isRun ? { ...caller, runId, sessionId, activeMs } : undefined
      const record = spender && recordOf(spender)
      // Scopes without a limit are left out, because a sum reads all calls of the day.
      const ofDay = dayLimits(caller, record ? raisedUsd(record) : 0).filter(({ limits }) => hasLimit(limits))
      return [...(spender && record ? [runScope(spender, record)] : []), ...ofDay.map(summed)]
    },
  }
}

/** A scope of the day before its calls are added up. `of`: selects the calls that count. */
type DayLimits = Omit<Scope, 'spent'> & { of: DayQuery }
const hasLimit = (limits: BudgetLimits) => Object.values(limits).some((limit) => limit !== undefined)

/** Adds the raises that operators allowed a run to the day’s limits. */
function withRaise(limits: BudgetLimits, run: BudgetLimits, raisedUsd: number): BudgetLimits {
  if (raisedUsd === 0) return limits
  const more = { ...scaled(run, raisedUsd / (run.usd ?? 1)), usd: raisedUsd }
  const raised = { ...limits }
  for (const unit of ['calls', 'tokens', 'usd', 'minutes'] as const) {
    const limit = limits[unit]
    if (limit !== undefined) raised[unit] = limit + (more[unit] ?? 0)
  }
  return raised
}

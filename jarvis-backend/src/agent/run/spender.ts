import type { Clock } from '../../lib/clock.ts'
import type { ActiveRun } from '../active-run.ts'
import type { BudgetKeeper, Spender } from '../budgets.ts'
import type { TranscriptStore } from '../sessions/transcript-store.ts'
import { activeMs } from './run-clock.ts'

/** @returns a function that says whose limits the model calls of a run count against. What a job's child run uses counts to the job. */
export function createSpenderOf(parts: {
  store: Pick<TranscriptStore, 'entriesOfRun'>
  clock: Pick<Clock, 'now'>
  budgets: Pick<BudgetKeeper, 'childrenOf' | 'stoodMs'>
}) {
  const { store, clock, budgets } = parts
  return (session: { id: string }, run: ActiveRun): Spender => {
    const { origin, row, agent, entries } = run
    const jobId = origin.kind === 'job' ? origin.jobId : origin.kind === 'child' ? origin.asker.job : undefined
    const helpers = budgets.childrenOf(row.id).map((id) => store.entriesOfRun(id))
    return {
      runId: row.id,
      sessionId: session.id,
      agent,
      activeMs: activeMs(entries, clock.now(), budgets.stoodMs(row.id), helpers),
      ...(jobId !== undefined && { jobId }),
    }
  }
}

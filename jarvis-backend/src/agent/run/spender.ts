import type { Clock } from '../../lib/clock.ts'
import type { BudgetKeeper, Spender } from '../budgets.ts'
import type { Run } from '../run.ts'
import type { TranscriptStore } from '../sessions/transcript-store.ts'
import { activeMs } from './run-clock.ts'

/** The caller whose limits a run's model calls count against. A job's child run counts against the job too. */
export function spenderOf(
  { origin, row, agent, entries }: Run,
  parts: {
    store: Pick<TranscriptStore, 'entriesOfRun'>
    clock: Pick<Clock, 'now'>
    budgets: Pick<BudgetKeeper, 'childrenOf' | 'stoodMs'>
  },
): Spender {
  const { store, clock, budgets } = parts
  const jobId = origin.kind === 'job' ? origin.jobId : origin.kind === 'child' ? origin.asker.job : undefined
  const helpers = budgets.childrenOf(row.id).map((id) => store.entriesOfRun(id))
  return {
    runId: row.id,
    sessionId: row.sessionId,
    agent,
    activeMs: activeMs(entries, clock.now(), { stoodMs: budgets.stoodMs(row.id), helpers }),
    jobId,
  }
}

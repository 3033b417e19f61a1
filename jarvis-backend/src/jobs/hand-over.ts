import { personFor } from 'protocol'
import { type JobStore, personOfJob } from './job.ts'

/**
 * Makes the person who saved a runbook the maker of all jobs that run it, as if the person had changed the jobs. Call it within the transaction that
 * journals the saved runbook, and publish `runbook.saved` after it.
 */
export function handOverJobs(
  store: Pick<JobStore, 'list' | 'save'>,
  journal: { append(kind: 'job', body: Record<string, unknown>): unknown },
  saved: { runbook: string; by: string },
): void {
  for (const { askedBy, ...job } of store.list()) {
    const isTheirs = askedBy === undefined && personOfJob(job).person === personFor(saved.by).person
    if (job.isShipped || isTheirs || job.work.kind !== 'runbook' || job.work.name !== saved.runbook) continue
    const { id, name, work, schedule, budget } = job
    store.save({ ...job, by: saved.by })
    journal.append('job', { change: 'changed', job: id, name, work, schedule, budget, by: saved.by })
  }
}

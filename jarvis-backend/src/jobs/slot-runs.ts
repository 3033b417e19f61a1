import { graceMs } from './due.ts'
import type { JobRuns, Standing, StoredJob, StoredSlot } from './job.ts'
import type { SchedulerParts } from './scheduler.ts'
import { pauseJob, stoppedOf } from './switches.ts'
import { midnightOf } from './zone.ts'

/** Failures in a row that pause a job. */
const mostFailures = 3

type Ended = Exclude<Standing, { state: 'running' | 'waiting' }>
type End = Ended | { state: 'skipped' | 'missed'; summary: string }

/** Takes each claimed slot to its end: begins its run, follows it, and writes down what became of it. */
export function createSlotRuns(parts: SchedulerParts) {
  const { store, runs, clock, zone } = parts

  const zoneOf = ({ schedule }: StoredJob) => (schedule.kind === 'cron' ? schedule.zone : zone)
  const overBudget = (job: StoredJob): string | undefined => parts.overBudget(job.id)

  /** Says once a day that the budget is used. */
  function tellBudget(id: string) {
    const job = store.get(id)
    const now = clock.now()
    if (job === undefined || (job.toldAt ?? 0) >= midnightOf(zoneOf(job), now)) return
    store.save({ ...job, toldAt: now })
    parts.announce(`Job ${job.name}: ${overBudget(job)} No model of it is called any more today.`, 'warning')
  }

  /** Why nothing of a job may begin beside what goes on; undefined where it may. */
  function busyWith(jobId: string): string | undefined {
    const open = store.open(jobId).find(({ isQueued }) => !isQueued)
    if (open === undefined) return undefined
    return open.state === 'waiting' ? 'The run before it waits for a decision.' : 'The run before it goes on.'
  }

  function update(slot: StoredSlot) {
    store.update(slot)
    parts.changed()
  }

  /** Begins a claimed slot. */
  function begin(job: StoredJob, claimed: StoredSlot): void {
    const problem = parts.makerProblem(job) ?? parts.guestProblem(job)
    if (problem !== undefined) {
      settle(claimed, { state: 'skipped', summary: problem })
      pauseJob(parts, store, job.id, 'jarvis', problem, clock.now())
      return
    }
    const { work } = job
    if (work.kind === 'prompt' || work.kind === 'call') {
      startRun(job, claimed, work)
      return
    }
    const worker = parts.workers[work.kind]
    if (worker === undefined) {
      settle(claimed, { state: 'failed', summary: `There is no ${work.kind} here.` })
      return
    }
    if (overBudget(job) !== undefined) tellBudget(job.id)
    const running: StoredSlot = { ...claimed, state: 'running', startedAt: clock.now() }
    update(running)
    worker
      .begin(job, running, overBudget(job))
      .then((came) => ('work' in came ? startRun(job, running, came.work) : settle(running, came)))
      .catch((error: unknown) => settle(running, { state: 'failed', summary: reasonOf(error) }))
      .catch((error: unknown) => parts.report(error, `what became of job ${job.id} could not be written down`))
  }

  function startRun(job: StoredJob, slot: StoredSlot, work: Parameters<JobRuns['start']>[0]['work']): void {
    let at: { sessionId: string; runId: string } | undefined
    try {
      runs.start({
        job,
        slot: slot.slot,
        work,
        causedBy: causesOf(job, slot, work),
        link(ids) {
          at = ids
          store.update({ ...slot, ...ids, state: 'running', startedAt: slot.startedAt ?? clock.now() })
        },
      })
    } catch (error) {
      settle(slot, { state: 'failed', summary: `It could not begin. ${reasonOf(error)}` })
      return
    }
    parts.changed()
    if (at !== undefined) follow(slot, at)
  }

  /** Writes down how the run of a slot stands, until it has ended. */
  function follow({ jobId, slot }: StoredSlot, at: { sessionId: string; runId: string }) {
    runs.follow(at, (standing) => {
      try {
        const now = store.slot(jobId, slot)
        if (now === undefined) return
        if (hasEnded(standing)) settle(now, standing)
        else if (now.state !== standing.state && now.endedAt === undefined) update({ ...now, state: standing.state })
      } catch (error) {
        parts.report(error, `what became of job ${jobId} could not be written down`)
      }
    })
  }

  /** Writes a slot's end, and begins the slot that waits for it. Too many failures in a row pause the job. */
  function settle({ jobId, slot: number }: StoredSlot, end: End): void {
    const before = store.slot(jobId, number)
    if (before === undefined || before.endedAt !== undefined) return
    const { isQueued: _, ...slot } = before
    const isFailure = end.state === 'failed' || end.state === 'unknown'
    parts.transactions.durably(() => {
      store.update({ ...slot, ...end, endedAt: clock.now() })
      const job = store.get(jobId)
      if (job === undefined || end.state === 'skipped' || end.state === 'missed') return
      const failures = isFailure ? job.failures + 1 : 0
      store.save({ ...job, failures })
      const why = `${failures} failures in a row. The last: ${end.summary}`
      if (failures >= mostFailures && job.state === 'active') pauseJob(parts, store, jobId, 'jarvis', why, clock.now())
    })
    const job = store.get(jobId)
    const ended = store.slot(jobId, number)
    if (job !== undefined && ended !== undefined) parts.workers[job.work.kind]?.ended?.(ended)
    const name = job?.name ?? jobId
    if (isFailure)
      parts.announce(`Job ${name}: ${end.summary}`, 'warning', {
        sessionId: slot.sessionId ?? '',
        facts: `Job ${name}: ${end.state}.`,
      })
    if (job !== undefined && ended !== undefined) parts.ended(job, ended)
    parts.changed()
    if (job !== undefined) goOn(job)
  }

  /** Begins the slot that waits for the run before, unless it is too late for that. */
  function goOn(job: StoredJob): void {
    const queued = store.open(job.id).find(({ isQueued }) => isQueued)
    if (queued === undefined || parts.isStopping() || busyWith(job.id) !== undefined) return
    const why =
      job.state === 'paused' || stoppedOf(parts.settings) !== undefined
        ? 'The job was paused while it waited.'
        : clock.now() - queued.slot > graceMs
          ? 'The run before it took more than an hour.'
          : overBudget(job)
    if (why !== undefined) {
      settle(queued, { state: 'skipped', summary: why })
      return
    }
    const { isQueued: _, summary: __, ...claimed } = queued
    store.update(claimed)
    begin(job, claimed)
  }

  return {
    busyWith,
    /** Why no model of a job may be called today; undefined where one may. */
    overBudget,
    tellBudget,
    begin,
    follow,
    settle,
  }
}

const causesOf = (
  { changedBy = {} }: StoredJob,
  { startedBy }: StoredSlot,
  { writtenBy }: Parameters<JobRuns['start']>[0]['work'],
): string[] => [startedBy, changedBy.work, changedBy.schedule, writtenBy].filter((id) => id !== undefined)

export const hasEnded = (standing: Standing): standing is Ended =>
  standing.state !== 'running' && standing.state !== 'waiting'

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

import type { Clock } from '../lib/clock.ts'
import { dueOf, graceMs } from './due.ts'
import type { JobRuns, JobStore, Standing, StoredJob, StoredSlot, Worker } from './job.ts'
import { pauseJob, type SwitchParts, stoppedOf } from './switches.ts'
import { type Times, timesOf } from './times.ts'
import { midnightOf } from './zone.ts'

/** `setTimeout` is late after the machine slept and wrong beyond 24 days, so wall clocks are compared this often, ms. */
const lookEveryMs = 60_000
/** So many failures in a row pause a job. */
const mostFailures = 3

export type SchedulerParts = SwitchParts & {
  store: JobStore
  runs: JobRuns
  /** Of the kinds of work that are not a run alone. */
  workers: Partial<Record<StoredJob['work']['kind'], Worker>>
  isReading(work: StoredJob['work']): boolean
  /** Why whoever asked for the job may ask no more; undefined where they may. */
  makerProblem(job: StoredJob): string | undefined
  clock: Clock
  zone: string
  /** Why its model may not be called any more today; undefined where it may. */
  overBudget(jobId: string): string | undefined
  /** Tokens that its runs have used today. */
  usedToday(jobId: string): number
  isStopping(): boolean
  announce(text: string, level: 'info' | 'warning'): void
  /** Told of each slot that came to its end, once. */
  ended(job: StoredJob, slot: StoredSlot): void
  /** Told after each change of a job or slot. */
  changed(): void
  report(error: unknown, message: string): void
}

/** Looks which slots have come, claims each on disk before anything of it begins, and writes down what became of it. */
export function createScheduler(parts: SchedulerParts) {
  const { store, runs, clock, zone } = parts
  let disarm = () => {}
  let isOn = false

  const timesFor = (job: StoredJob): Times => timesOf(job.schedule, job.anchor)
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

  /** Writes what became of the slots that have come. @returns the one that begins now */
  function take(job: StoredJob): StoredSlot | undefined {
    const now = clock.now()
    // A clock that was far ahead left an anchor in the future, which would keep the job silent until then.
    const times = timesOf(job.schedule, Math.min(job.anchor, now))
    const due = dueOf({
      ...{ jobId: job.id, times, cursor: job.cursor, now, isChanging: !parts.isReading(job.work) },
      stopped: stoppedOf(parts.settings),
      busy: busyWith(job.id),
      hasQueued: store.open(job.id).some(({ isQueued }) => isQueued),
      // The checks of a heartbeat cost nothing.
      overBudget: job.work.kind === 'heartbeat' ? undefined : overBudget(job),
    })
    if (due.rows.length === 0 && due.claim === undefined && now >= job.cursor && times.next(now, 1).length > 0)
      return undefined
    const claimed = parts.transactions.durably(() => {
      for (const row of due.rows) store.claim({ ...row, endedAt: now })
      const claim = due.claim !== undefined && store.claim(due.claim) ? due.claim : undefined
      const isOver = times.next(now, 1).length === 0
      store.save({
        ...{ ...job, anchor: Math.min(job.anchor, now), cursor: due.cursor },
        ...(isOver && { state: 'ended' as const }),
      })
      return claim
    })
    if (due.rows.some(({ summary }) => summary !== undefined && summary === overBudget(job))) tellBudget(job.id)
    parts.changed()
    return claimed?.isQueued ? undefined : claimed
  }

  function update(slot: StoredSlot) {
    store.update(slot)
    parts.changed()
  }

  /** Begins a claimed slot. */
  function begin(job: StoredJob, claimed: StoredSlot): void {
    const problem = parts.makerProblem(job)
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
        ...{ job, slot: slot.slot, work },
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

  type End = Exclude<Standing, { state: 'running' | 'waiting' }> | { state: 'skipped' | 'missed'; summary: string }

  /** Writes a slot's end; what waits for it begins, and too many failures pause the job. */
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
    if (isFailure) parts.announce(`Job ${job?.name ?? jobId}: ${end.summary}`, 'warning')
    if (job !== undefined && ended !== undefined) parts.ended(job, ended)
    parts.changed()
    if (job !== undefined) goOn(job)
  }

  /** The slot that waits for the run before begins, unless that is too late now. */
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

  /** Looks at all jobs now, and again when the next one comes. */
  function look(): void {
    if (!isOn || parts.isStopping()) return
    disarm()
    let next = clock.now() + lookEveryMs
    for (const { id } of store.list()) {
      try {
        const job = store.get(id)
        if (job?.state !== 'active') continue
        const claimed = take(job)
        if (claimed !== undefined) begin(job, claimed)
        next = Math.min(next, timesFor(job).next(clock.now(), 1)[0] ?? next)
      } catch (error) {
        parts.report(error, `job ${id} could not be looked at`)
      }
    }
    disarm = clock.after(Math.max(1, next - clock.now()), look)
  }

  /** What the last process left: nothing of it begins again. */
  function resume(): void {
    for (const slot of store.open()) {
      const { sessionId, runId } = slot
      const at = sessionId === undefined || runId === undefined ? undefined : { sessionId, runId }
      const standing = at && runs.standing(at)
      if (slot.isQueued) settle(slot, { state: 'missed', summary: 'JARVIS was stopped while it waited.' })
      else if (standing === undefined) settle(slot, lost)
      else if (hasEnded(standing)) settle(slot, standing)
      else if (at !== undefined) follow(slot, at)
    }
  }

  return {
    /** Writes down what the last process left, and begins to look. */
    start() {
      isOn = true
      resume()
      look()
    },
    look,
    /** The next start looks again. */
    stop() {
      isOn = false
      disarm()
    },
    /** @returns why it cannot begin now; undefined where it has begun, under `slot` */
    runNow(job: StoredJob): { refused: string } | { slot: number } {
      const stopped = stoppedOf(parts.settings)
      const refused =
        stopped !== undefined
          ? `All jobs were stopped by ${stopped.by}.`
          : (busyWith(job.id) ?? (job.work.kind === 'heartbeat' ? undefined : overBudget(job)))
      if (refused !== undefined) return { refused }
      let slot = clock.now()
      while (!parts.transactions.durably(() => store.claim({ jobId: job.id, slot, state: 'claimed', isByHand: true })))
        slot += 1
      begin(job, { jobId: job.id, slot, state: 'claimed', isByHand: true })
      return { slot }
    },
  }
}

const hasEnded = (standing: Standing): standing is Exclude<Standing, { state: 'running' | 'waiting' }> =>
  standing.state !== 'running' && standing.state !== 'waiting'

const lost = {
  state: 'unknown',
  summary: 'JARVIS was stopped as it began. It may have begun, and is not begun again.',
} as const

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

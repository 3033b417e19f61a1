import type { Clock } from '../lib/clock.ts'
import { graceMs } from './due.ts'
import type {
  JobBudget,
  JobGuests,
  JobMakers,
  JobRuns,
  JobStore,
  JobTeller,
  RunIds,
  RunWork,
  Standing,
  StoredJob,
  StoredSlot,
} from './job.ts'
import type { JobSwitches, Transactions } from './switches.ts'
import type { WorkKinds } from './work-kinds.ts'
import { midnightOf } from './zone.ts'

/** The number of consecutive failures after which a job is paused. */
const mostFailures = 3

export type SlotRunsParts = {
  store: JobStore
  runs: JobRuns
  kinds: WorkKinds
  switches: JobSwitches
  makers: JobMakers
  guests: JobGuests
  budget: JobBudget
  teller: JobTeller
  transactions: Transactions
  clock: Clock
  zone: string
  isStopping(): boolean
  report(error: unknown, message: string): void
}

type Ended = Exclude<Standing, { state: 'running' | 'waiting' }>
type End = Ended | { state: 'skipped' | 'missed'; summary: string }

/** Takes each claimed slot to its end: begins its run, follows the run, and stores its outcome. */
export class SlotRuns {
  readonly #parts: SlotRunsParts

  constructor(parts: SlotRunsParts) {
    this.#parts = parts
  }

  /** The reason why no run of a job may begin now; undefined if one may. */
  busyWith(jobId: string): string | undefined {
    const open = this.#parts.store.open(jobId).find(({ isQueued }) => !isQueued)
    if (open === undefined) return undefined
    return open.state === 'waiting' ? 'The run before it waits for a decision.' : 'The run before it goes on.'
  }

  /** Announces once a day that the job's budget is used. */
  tellBudget(id: string): void {
    const { store, clock, zone, budget, teller } = this.#parts
    const job = store.get(id)
    const now = clock.now()
    if (job === undefined) return
    const ownZone = job.schedule.kind === 'cron' ? job.schedule.zone : zone
    if ((job.toldAt ?? 0) >= midnightOf(ownZone, now)) return
    store.save({ ...job, toldAt: now })
    teller.announce(`Job ${job.name}: ${budget.usedUp(id)} No model of it is called any more today.`, 'warning')
  }

  /** Begins the run of a claimed slot. */
  begin(job: StoredJob, claimed: StoredSlot): void {
    const { makers, guests, switches, kinds, budget, clock, report } = this.#parts
    const problem = makers.problem(job) ?? guests.problem(job)
    if (problem !== undefined) {
      this.settle(claimed, { state: 'skipped', summary: problem })
      switches.pause(job.id, 'jarvis', problem)
      return
    }
    const { work } = job
    if (work.kind === 'prompt' || work.kind === 'call') {
      this.#startRun(job, claimed, work)
      return
    }
    const worker = kinds.worker(work.kind)
    if (worker === undefined) {
      this.settle(claimed, { state: 'failed', summary: `There is no ${work.kind} here.` })
      return
    }
    if (budget.usedUp(job.id) !== undefined) this.tellBudget(job.id)
    const running: StoredSlot = { ...claimed, state: 'running', startedAt: clock.now() }
    this.#update(running)
    worker
      .begin(job, running, budget.usedUp(job.id))
      .then((begun) => ('work' in begun ? this.#startRun(job, running, begun.work) : this.settle(running, begun)))
      .catch((error: unknown) => this.settle(running, { state: 'failed', summary: reasonOf(error) }))
      .catch((error: unknown) => report(error, `what became of job ${job.id} could not be written down`))
  }

  /** Stores the state of a slot's run after each change, until the run has ended. */
  follow({ jobId, slot }: StoredSlot, run: RunIds): void {
    const { runs, store, report } = this.#parts
    runs.follow(run, (standing) => {
      try {
        const now = store.slot(jobId, slot)
        if (now === undefined) return
        if (hasEnded(standing)) this.settle(now, standing)
        else if (now.state !== standing.state && now.endedAt === undefined)
          this.#update({ ...now, state: standing.state })
      } catch (error) {
        report(error, `what became of job ${jobId} could not be written down`)
      }
    })
  }

  /** Stores a slot's end, and begins the slot that waits for it. Too many consecutive failures pause the job. */
  settle({ jobId, slot: number }: StoredSlot, end: End): void {
    const { store, clock, kinds, switches, teller, transactions } = this.#parts
    const before = store.slot(jobId, number)
    if (before === undefined || before.endedAt !== undefined) return
    const { isQueued: _, ...slot } = before
    const isFailure = end.state === 'failed' || end.state === 'unknown'
    transactions.durably(() => {
      store.update({ ...slot, ...end, endedAt: clock.now() })
      const job = store.get(jobId)
      if (job === undefined || end.state === 'skipped' || end.state === 'missed') return
      const failures = isFailure ? job.failures + 1 : 0
      store.save({ ...job, failures })
      const why = `${failures} failures in a row. The last: ${end.summary}`
      if (failures >= mostFailures && job.state === 'active') switches.pause(jobId, 'jarvis', why)
    })
    const job = store.get(jobId)
    const ended = store.slot(jobId, number)
    if (job !== undefined && ended !== undefined) kinds.worker(job.work.kind)?.ended?.(ended)
    const name = job?.name ?? jobId
    if (isFailure)
      teller.announce(`Job ${name}: ${end.summary}`, 'warning', {
        sessionId: slot.sessionId ?? '',
        facts: `Job ${name}: ${end.state}.`,
      })
    if (job !== undefined && ended !== undefined) teller.ended(job, ended)
    teller.changed()
    if (job !== undefined) this.#goOn(job)
  }

  #startRun(job: StoredJob, slot: StoredSlot, work: RunWork): void {
    const { runs, store, clock, teller } = this.#parts
    let run: RunIds | undefined
    try {
      runs.start({
        job,
        slot: slot.slot,
        work,
        causedBy: causesOf(job, slot, work),
        link(ids) {
          run = ids
          store.update({ ...slot, ...ids, state: 'running', startedAt: slot.startedAt ?? clock.now() })
        },
      })
    } catch (error) {
      this.settle(slot, { state: 'failed', summary: `It could not begin. ${reasonOf(error)}` })
      return
    }
    teller.changed()
    if (run !== undefined) this.follow(slot, run)
  }

  /** Begins the slot that waits for the previous run, unless it is too late. */
  #goOn(job: StoredJob): void {
    const { store, clock, switches, budget, isStopping } = this.#parts
    const queued = store.open(job.id).find(({ isQueued }) => isQueued)
    if (queued === undefined || isStopping() || this.busyWith(job.id) !== undefined) return
    const why =
      job.state === 'paused' || switches.stopped() !== undefined
        ? 'The job was paused while it waited.'
        : clock.now() - queued.slot > graceMs
          ? 'The run before it took more than an hour.'
          : budget.usedUp(job.id)
    if (why !== undefined) {
      this.settle(queued, { state: 'skipped', summary: why })
      return
    }
    const { isQueued: _, summary: __, ...claimed } = queued
    store.update(claimed)
    this.begin(job, claimed)
  }

  #update(slot: StoredSlot): void {
    this.#parts.store.update(slot)
    this.#parts.teller.changed()
  }
}

const causesOf = (
  { changedBy = {} }: StoredJob,
  { startedBy }: StoredSlot,
  { writtenBy }: Pick<RunWork, 'writtenBy'>,
): string[] => [startedBy, changedBy.work, changedBy.schedule, writtenBy].filter((id) => id !== undefined)

export const hasEnded = (standing: Standing): standing is Ended =>
  standing.state !== 'running' && standing.state !== 'waiting'

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

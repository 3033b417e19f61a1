import {
  JarvisError,
  type Job,
  type JobBody,
  type JobPatchBody,
  type JobSlot,
  type JobsReply,
  type Principal,
  personOf,
  type Schedule,
  type SchedulePreview,
} from 'protocol'
import type { z } from 'zod'
import { newId } from '../lib/ids.ts'
import { type DrillApprovals, type Maker, personOfJob, type Shipped, type StoredJob } from './job.ts'
import { checkJob } from './job-check.ts'
import { previewOf, shownJob, shownSlot } from './job-views.ts'
import { Scheduler } from './scheduler.ts'
import type { SlotRunsParts } from './slot-runs.ts'

const mostJobs = 200
/** The most slots that are kept of each job. The sessions of older slots are deleted with them. */
const keptSlots = 2_000
/** A schedule that is always valid. It replaces the schedule of a job that may have no later time, so that only the rest of the job is checked. */
const anySchedule: Schedule = { kind: 'interval', minutes: 1 }

export type JobsParts = SlotRunsParts & {
  journal: { append(kind: 'job', body: Record<string, unknown>): void }
  approvals: Pick<DrillApprovals, 'approvedUntil'>
  shipped: readonly Shipped[]
  redact(text: string): string
}

type Patch = z.output<typeof JobPatchBody>

/** Keeps jobs and starts their runs. Every change of a job is journalled. */
export class Jobs {
  readonly #parts: JobsParts
  readonly #scheduler: Scheduler

  constructor(parts: JobsParts) {
    this.#parts = parts
    this.#scheduler = new Scheduler(parts)
  }

  start(): void {
    const { store, runs } = this.#parts
    this.#ship()
    for (const { id } of store.list()) for (const session of store.prune(id, keptSlots)) runs.remove(session)
    this.#scheduler.start()
  }

  stop(): void {
    this.#scheduler.stop()
  }

  /** Examines all jobs now, instead of at the time of the next slot. */
  look(): void {
    this.#scheduler.look()
  }

  list(): JobsReply {
    const { store, switches, zone, clock } = this.#parts
    const items = store.list().map((job) => shownJob(this.#parts, job))
    return { items, stopped: switches.stopped() ?? null, zone, now: clock.now() }
  }

  /** A job as clients see it. @throws JarvisError `not_found` */
  get(id: string): Job {
    return shownJob(this.#parts, this.stored(id))
  }

  /** A job as it is stored. @throws JarvisError `not_found` */
  stored(id: string): StoredJob {
    const job = this.#parts.store.get(id)
    if (job === undefined) throw new JarvisError('not_found', 'There is no such job.')
    return job
  }

  /** Finds a job by its id or its name. */
  find(name: string): StoredJob | undefined {
    const { store } = this.#parts
    return store.get(name) ?? store.list().find((job) => job.name.toLowerCase() === name.toLowerCase())
  }

  /** Describes a schedule and its next times. @throws JarvisError `invalid_request` with the reason */
  preview(schedule: Schedule): SchedulePreview {
    return previewOf(schedule, this.#parts)
  }

  /** The reason why a job could not be made; undefined if it could be. */
  problemOf(body: JobBody): string | undefined {
    try {
      checkJob(this.#parts, body, { asker: principalOf('', body.name, { by: 'jarvis' }) })
      return undefined
    } catch (error) {
      if (error instanceof JarvisError) return error.message
      throw error
    }
  }

  /** Makes a job. @throws JarvisError `invalid_request` */
  make(body: JobBody, { by, askedBy }: Maker): Job {
    const { store, clock } = this.#parts
    const id = newId('job')
    checkJob(this.#parts, body, { asker: principalOf(id, body.name, { by, askedBy }) })
    if (store.list().length >= mostJobs)
      throw new JarvisError('invalid_request', `There are ${mostJobs} jobs. Delete one first.`)
    const now = clock.now()
    const job: StoredJob = {
      id,
      ...body,
      state: 'active',
      by,
      createdAt: now,
      failures: 0,
      anchor: now,
      cursor: now,
      ...(askedBy && { askedBy }),
    }
    return this.#keep(this.#bound(job), 'made', by)
  }

  /** Changes a job. A person who changes the work becomes the job's asker in place of the earlier one. @throws JarvisError */
  change(id: string, { isPaused, ...patch }: Patch, by: string): Job {
    const job = this.stored(id)
    if (Object.values(patch).some((value) => value !== undefined))
      this.#keep(this.#patched(job, patch, by), 'changed', by)
    if (isPaused === true) this.#parts.switches.pause(id, by, `Paused by ${by}.`)
    if (isPaused === false) this.#resume(id, by)
    this.storeChanged()
    return this.get(id)
  }

  /** Examines jobs that were changed in the store, and tells clients. */
  storeChanged(): void {
    this.#scheduler.look()
    this.#parts.teller.changed()
  }

  /** Pauses a job. @returns false if the job is not active */
  pause(id: string, by: string, why: string): boolean {
    const isPaused = this.#parts.switches.pause(id, by, why) !== undefined
    this.#parts.teller.changed()
    return isPaused
  }

  /** Deletes a job with its slots; the sessions of its runs stay. @throws JarvisError */
  remove(id: string, by: string): void {
    const { store, journal, transactions, teller } = this.#parts
    const job = this.stored(id)
    if (job.isShipped)
      throw new JarvisError('invalid_request', 'This job comes with JARVIS and cannot be deleted. Pause it instead.')
    if (store.open(id).some(({ isQueued }) => !isQueued))
      throw new JarvisError('conflict', 'A run of this job goes on. Stop the run first.')
    transactions.durably(() => {
      store.remove(id)
      journal.append('job', { change: 'removed', job: id, name: job.name, by })
    })
    teller.changed()
  }

  /** Starts a run of the job now, in addition to its schedule. @throws JarvisError `conflict` */
  run(id: string, by: string): { slot: number } {
    const job = this.stored(id)
    const begun = this.#scheduler.runNow(job, personOf(by))
    if ('refused' in begun) throw new JarvisError('conflict', `${begun.refused} Nothing was begun.`)
    this.#parts.journal.append('job', { change: 'run', job: id, name: job.name, slot: begun.slot, by })
    return begun
  }

  /** Stops all jobs, or lets them run again. On a stop, a single call that is at work continues to its end, and the models of jobs are stopped. */
  stopAll(isOff: boolean, by: string): void {
    const { store, switches, runs } = this.#parts
    const isNew = switches.switchAll(isOff, by)
    const working = isOff && isNew ? store.open() : []
    for (const { jobId, sessionId } of working) {
      const kind = store.get(jobId)?.work.kind
      if (sessionId !== undefined && (kind === 'prompt' || kind === 'heartbeat')) runs.stop(sessionId, by)
    }
    this.storeChanged()
  }

  /** A job's slots, newest first. @throws JarvisError `not_found` */
  slots(id: string, query: { before?: number; limit: number }): JobSlot[] {
    return this.#parts.store.slots(this.stored(id).id, query).map(shownSlot)
  }

  /** One slot of a job. @throws JarvisError `not_found` */
  slot(id: string, slot: number): JobSlot {
    const found = this.#parts.store.slot(id, slot)
    if (found === undefined) throw new JarvisError('not_found', 'There is no such run of that job.')
    return shownSlot(found)
  }

  /**
   * Pauses the jobs that people and models made, because on another cluster the same vmids belong to other guests. The jobs that come with JARVIS
   * get their shipped schedule, counted from now.
   */
  leaveCluster(): void {
    const { store, switches, shipped, clock } = this.#parts
    const now = clock.now()
    for (const job of store.list()) {
      const schedule = shipped.find(({ id }) => id === job.id)?.schedule
      if (schedule === undefined) switches.pause(job.id, 'jarvis', 'It was made for another cluster.')
      else store.save({ ...job, schedule, anchor: now, cursor: now })
    }
  }

  #keep(job: StoredJob, change: string, by: string): Job {
    const { store, journal, transactions } = this.#parts
    transactions.durably(() => {
      store.save(job)
      const { id, name, work, schedule, budget, askedBy } = job
      journal.append('job', { change, job: id, name, work, schedule, budget, by, ...(askedBy && { askedBy }) })
    })
    this.storeChanged()
    return this.get(job.id)
  }

  /** Returns the job with the changes. @throws JarvisError `invalid_request` */
  #patched(job: StoredJob, { name, work, schedule, budget }: Omit<Patch, 'isPaused'>, by: string): StoredJob {
    const next: StoredJob = {
      ...job,
      ...(name !== undefined && { name }),
      ...(work !== undefined && { work }),
      ...(schedule !== undefined && { schedule }),
      ...(budget !== undefined && { budget }),
    }
    if (job.isShipped && next.work.kind !== job.work.kind)
      throw new JarvisError('invalid_request', 'work: a job that comes with JARVIS keeps its kind of work.')
    const asker = principalOf(job.id, next.name, work === undefined ? job : { by })
    checkJob(this.#parts, { ...next, schedule: schedule ?? anySchedule }, { asker, id: job.id })
    if (work !== undefined) {
      delete next.askedBy
      // The person does not become the maker of a shipped job. It stays JARVIS's own and has no person's rights.
      if (!job.isShipped) next.by = by
    }
    const who = personOf(by)
    next.changedBy = { ...job.changedBy, ...(work && { work: who }), ...(schedule && { schedule: who }) }
    if (schedule !== undefined) {
      next.anchor = next.cursor = this.#parts.clock.now()
      if (next.state === 'ended') next.state = 'active'
    }
    return work === undefined ? next : this.#bound(next)
  }

  /** Resumes a paused job. Its vmid now means the guest that has this vmid at present. */
  #resume(id: string, by: string): void {
    this.#takeOver(id, by)
    const paused = this.stored(id)
    this.#parts.store.save({
      ...this.#bound(paused),
      changedBy: { ...paused.changedBy, schedule: personOf(by) },
    })
    this.#parts.switches.resume(id, by)
  }

  /** Makes the person who resumes a job its maker if its asker may not ask any more. @throws JarvisError `invalid_request` */
  #takeOver(id: string, by: string): void {
    const job = this.stored(id)
    if (job.isShipped || this.#parts.makers.problem(job) === undefined) return
    const { askedBy: _, ...own } = job
    checkJob(this.#parts, { ...own, schedule: anySchedule }, { asker: principalOf(id, job.name, { by }), id })
    this.#keep({ ...own, by }, 'taken_over', by)
  }

  /** Returns the job, bound to the guest that has its vmid now. */
  #bound({ guest: _, ...job }: StoredJob): StoredJob {
    const guest = this.#parts.guests.of(job.work)
    return { ...job, ...(guest && { guest }) }
  }

  /** Adds the jobs that come with JARVIS and are not stored yet. */
  #ship(): void {
    const { store, shipped, clock } = this.#parts
    const now = clock.now()
    for (const job of shipped) {
      if (store.get(job.id) !== undefined) continue
      store.save({
        ...job,
        state: 'active',
        by: 'jarvis',
        createdAt: now,
        isShipped: true,
        failures: 0,
        anchor: now,
        cursor: now,
      })
    }
  }
}

const principalOf = (id: string, name: string, maker: Maker): Principal => ({
  kind: 'job',
  name,
  job: id,
  ...personOfJob(maker),
  ...(maker.askedBy?.token !== undefined && { token: maker.askedBy.token }),
})

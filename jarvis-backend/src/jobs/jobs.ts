import {
  firstOwnerId,
  JarvisError,
  type Job,
  type JobBody,
  type JobPatchBody,
  type JobsReply,
  type JobWork,
  type Principal,
  personFor,
  personOf,
} from 'protocol'
import type { z } from 'zod'
import { newId } from '../lib/ids.ts'
import type { JobCalls, StoredJob } from './job.ts'
import { createJobCheck } from './job-check.ts'
import { createJobViews, shownSlot } from './job-views.ts'
import { createScheduler, type SchedulerParts } from './scheduler.ts'
import { pauseJob, resumeJob, stoppedOf, switchAll } from './switches.ts'

const mostJobs = 200
/** Slots that are kept of each job; the sessions of older ones go with them. */
const keptSlots = 2_000

/** A job that comes with JARVIS. It can be paused and changed, not deleted. */
export type Shipped = Pick<StoredJob, 'id' | 'name' | 'work' | 'schedule' | 'budget'>

export type JobsParts = Omit<SchedulerParts, 'isReading'> & {
  /** Until when a person has allowed the calls of a drill beforehand, Unix ms; undefined where each one asks. */
  approvedUntil(job: StoredJob): number | undefined
  calls: JobCalls
  /** The guest that a work names by its number; undefined if the work names none, or an unknown one. */
  guestOf(work: JobWork): { id: string } | undefined
  redact(text: string): string
  shipped: readonly Shipped[]
}

/** The maker of a job. `askedBy`: the model or client whose call `by` approved. */
export type Maker = { by: string; askedBy?: Principal | undefined }

/** In whose name a job asks: who asked for it, which is less than who approved that. Absent: the first owner. */
export const personOfJob = ({ by, askedBy }: Maker): { person?: string } =>
  askedBy === undefined ? personFor(by) : personFor(askedBy.person ?? firstOwnerId)

/** Keeps jobs and starts their runs. Every change of a job is journalled. */
export function createJobs(parts: JobsParts) {
  const { store, clock, zone, transactions, journal } = parts

  /** Returns true if a job's work changes nothing. A prompt may change something: nobody knows what a model will call. */
  const isReading = (work: JobWork): boolean =>
    work.kind === 'call'
      ? parts.calls.isReading(work)
      : work.kind !== 'prompt' && (parts.workers[work.kind]?.isReading(work) ?? false)
  const scheduler = createScheduler({ ...parts, isReading })
  const views = createJobViews({ ...parts, isReading })
  const check = createJobCheck(parts)

  function must(id: string): StoredJob {
    const job = store.get(id)
    if (job === undefined) throw new JarvisError('not_found', 'There is no such job.')
    return job
  }

  const principalOf = (id: string, name: string, maker: Maker): Principal => ({
    kind: 'job',
    name,
    job: id,
    ...personOfJob(maker),
    ...(maker.askedBy?.token !== undefined && { token: maker.askedBy.token }),
  })
  function keep(job: StoredJob, change: string, by: string): Job {
    transactions.durably(() => {
      store.save(job)
      const { id, name, work, schedule, budget, askedBy } = job
      journal.append('job', { change, job: id, name, work, schedule, budget, by, ...(askedBy && { askedBy }) })
    })
    scheduler.look()
    parts.changed()
    return views.job(must(job.id))
  }

  /** The job, meant for the guest that has its number now. */
  function bound({ guest: _, ...job }: StoredJob): StoredJob {
    const guest = parts.guestOf(job.work)
    return { ...job, ...(guest && { guest }) }
  }

  /** Makes a job its resumer's own, where whoever it belongs to may not ask any more. @throws JarvisError `invalid_request` */
  function takeOver(id: string, by: string) {
    const job = must(id)
    if (job.isShipped || parts.makerProblem(job) === undefined) return
    const { askedBy: _, ...own } = job
    check({ ...own, schedule: { kind: 'interval', minutes: 1 } }, principalOf(id, job.name, { by }), id)
    keep({ ...own, by }, 'taken_over', by)
  }

  /** Adds what comes with JARVIS where it is not there yet. */
  function ship() {
    const now = clock.now()
    for (const job of parts.shipped) {
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

  return {
    list: (): JobsReply => ({
      items: store.list().map(views.job),
      stopped: stoppedOf(parts.settings) ?? null,
      zone,
      now: clock.now(),
    }),
    /** @throws JarvisError `not_found` */
    get: (id: string): Job => views.job(must(id)),
    /** By its id or its name. */
    find: (name: string): StoredJob | undefined =>
      store.get(name) ?? store.list().find((job) => job.name.toLowerCase() === name.toLowerCase()),
    /** @throws JarvisError `invalid_request` with the reason */
    preview: views.preview,
    /** Why it could not be made; undefined where it could. */
    problemOf(body: JobBody): string | undefined {
      try {
        check(body, principalOf('', body.name, { by: 'jarvis' }))
        return undefined
      } catch (error) {
        if (error instanceof JarvisError) return error.message
        throw error
      }
    },
    /** @throws JarvisError `invalid_request` */
    make(body: JobBody, { by, askedBy }: Maker): Job {
      const id = newId('job')
      check(body, principalOf(id, body.name, { by, askedBy }))
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
      return keep(bound(job), 'made', by)
    },
    /** Changes a job. A person who changes the work becomes its asker, whoever asked for it before. @throws JarvisError */
    change(id: string, { isPaused, ...patch }: z.output<typeof JobPatchBody>, by: string): Job {
      const job = must(id)
      const wanted = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
      if (Object.keys(wanted).length > 0) {
        const next: StoredJob = { ...job, ...wanted }
        const { name, work, schedule } = next
        if (job.isShipped && work.kind !== job.work.kind)
          throw new JarvisError('invalid_request', 'work: a job that comes with JARVIS keeps its kind of work.')
        const isOld = patch.schedule === undefined
        check(
          { name, work, schedule: isOld ? { kind: 'interval', minutes: 1 } : schedule },
          principalOf(id, name, patch.work === undefined ? job : { by }),
          id,
        )
        if (patch.work !== undefined) {
          delete next.askedBy
          // A shipped job stays JARVIS's own, and has nobody's rights.
          if (!job.isShipped) next.by = by
        }
        const who = personOf(by)
        next.changedBy = {
          ...job.changedBy,
          ...(patch.work && { work: who }),
          ...(patch.schedule && { schedule: who }),
        }
        if (!isOld) {
          Object.assign(next, { anchor: clock.now(), cursor: clock.now() })
          if (next.state === 'ended') next.state = 'active'
        }
        keep(patch.work === undefined ? next : bound(next), 'changed', by)
      }
      if (isPaused === true) pauseJob(parts, store, id, by, `Paused by ${by}.`, clock.now())
      if (isPaused === false) {
        takeOver(id, by)
        const paused = must(id)
        store.save({ ...bound(paused), changedBy: { ...paused.changedBy, schedule: personOf(by) } })
        resumeJob(parts, store, id, by, clock.now())
      }
      scheduler.look()
      parts.changed()
      return views.job(must(id))
    },
    /** Takes up jobs that were changed in the store. */
    storeChanged() {
      scheduler.look()
      parts.changed()
    },
    /** Pauses it. @returns false where it is not active */
    pause(id: string, by: string, why: string): boolean {
      const isPaused = pauseJob(parts, store, id, by, why, clock.now()) !== undefined
      parts.changed()
      return isPaused
    },
    /** With its slots; its sessions stay. @throws JarvisError */
    remove(id: string, by: string): void {
      const job = must(id)
      if (job.isShipped)
        throw new JarvisError('invalid_request', 'This job comes with JARVIS and cannot be deleted. Pause it instead.')
      if (store.open(id).some(({ isQueued }) => !isQueued))
        throw new JarvisError('conflict', 'A run of this job goes on. Stop the run first.')
      transactions.durably(() => {
        store.remove(id)
        journal.append('job', { change: 'removed', job: id, name: job.name, by })
      })
      parts.changed()
    },
    /** Starts it now, besides its schedule. @throws JarvisError `conflict` */
    run(id: string, by: string): { slot: number } {
      const job = must(id)
      const begun = scheduler.runNow(job, personOf(by))
      if ('refused' in begun) throw new JarvisError('conflict', `${begun.refused} Nothing was begun.`)
      journal.append('job', { change: 'run', job: id, name: job.name, slot: begun.slot, by })
      return begun
    },
    /** The switch over all jobs. Single calls that run go on to their end; models of jobs are stopped. */
    stopAll(isOff: boolean, by: string): void {
      const isNew = switchAll(parts, isOff, by, clock.now())
      const working = isOff && isNew ? store.open() : []
      for (const { jobId, sessionId } of working) {
        const kind = store.get(jobId)?.work.kind
        if (sessionId !== undefined && (kind === 'prompt' || kind === 'heartbeat')) parts.runs.stop(sessionId, by)
      }
      scheduler.look()
      parts.changed()
    },
    slots: (id: string, query: { before?: number; limit: number }) => store.slots(must(id).id, query).map(shownSlot),
    /** @throws JarvisError `not_found` */
    slot(id: string, slot: number) {
      const found = store.slot(id, slot)
      if (found === undefined) throw new JarvisError('not_found', 'There is no such run of that job.')
      return shownSlot(found)
    },
    /** As it is kept. @throws JarvisError `not_found` */
    stored: must,
    usedToday: (id: string) => parts.usedToday(must(id).id),
    /** Pauses what people and models made: another cluster has other guests under the same numbers. What comes with JARVIS begins anew. */
    leaveCluster() {
      const now = clock.now()
      for (const job of store.list()) {
        const schedule = parts.shipped.find(({ id }) => id === job.id)?.schedule
        if (schedule === undefined) pauseJob(parts, store, job.id, 'jarvis', 'It was made for another cluster.', now)
        else store.save({ ...job, schedule, anchor: now, cursor: now })
      }
    },
    start() {
      ship()
      for (const { id } of store.list()) for (const session of store.prune(id, keptSlots)) parts.runs.remove(session)
      scheduler.start()
    },
    look: scheduler.look,
    stop: scheduler.stop,
  }
}

export type Jobs = ReturnType<typeof createJobs>

import type { Job, JobSlot, Schedule, SchedulePreview } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import type { DrillApprovals, JobStore, StoredJob, StoredSlot } from './job.ts'
import { requireFuture, timesOf } from './times.ts'
import { clockChangeWords, scheduleWords } from './words.ts'
import type { WorkKinds } from './work-kinds.ts'

const shownSlots = 10
const shownNext = 5

/** A slot as clients see it. */
export const shownSlot = ({ isQueued: _, ...slot }: StoredSlot): JobSlot => slot

export type JobViewsParts = {
  store: Pick<JobStore, 'slots'>
  clock: Clock
  zone: string
  kinds: Pick<WorkKinds, 'isReading'>
  approvals: Pick<DrillApprovals, 'approvedUntil'>
}

/** A job as clients see it. */
export function shownJob({ store, clock, zone, kinds, approvals }: JobViewsParts, job: StoredJob): Job {
  const { anchor: _, cursor: __, toldAt: ___, changedBy: ____, guest: _____, ...facts } = job
  const now = clock.now()
  const times = timesOf(job.schedule, Math.min(job.anchor, now))
  const clockChange = job.state === 'active' ? clockChangeWords(job.schedule, now) : undefined
  return {
    ...facts,
    words: scheduleWords(job.schedule, zone),
    isChanging: !kinds.isReading(job.work),
    ...(job.work.kind === 'drill' && { approvedUntil: approvals.approvedUntil(job) ?? null }),
    next: job.state === 'active' ? times.next(now, shownNext) : [],
    last: store.slots(job.id, { limit: shownSlots }).map(shownSlot).reverse(),
    ...(clockChange !== undefined && { clockChange }),
  }
}

/** The next instants of a schedule, and a description of the schedule. @throws JarvisError `invalid_request` with the reason */
export function previewOf(schedule: Schedule, { clock, zone }: Pick<JobViewsParts, 'clock' | 'zone'>): SchedulePreview {
  const now = clock.now()
  requireFuture(schedule, now)
  const clockChange = clockChangeWords(schedule, now)
  return {
    words: scheduleWords(schedule, zone),
    next: timesOf(schedule, now).next(now, shownNext),
    clockChange,
  }
}

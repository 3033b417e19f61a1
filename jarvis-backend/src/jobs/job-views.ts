import type { Job, JobSlot, JobWork, Schedule, SchedulePreview } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import type { JobStore, StoredJob, StoredSlot } from './job.ts'
import { requireFuture, timesOf } from './times.ts'
import { clockChangeWords, scheduleWords } from './words.ts'

const shownSlots = 10
const shownNext = 5

/** A slot as clients see it. */
export const shownSlot = ({ isQueued: _, ...slot }: StoredSlot): JobSlot => slot

/** Makes what clients see of jobs and schedules. */
export function createJobViews(parts: {
  store: Pick<JobStore, 'slots'>
  clock: Clock
  zone: string
  isReading(work: JobWork): boolean
  /** Until when a person has allowed the calls of a drill beforehand, Unix ms; undefined where each one asks. */
  approvedUntil(job: StoredJob): number | undefined
}) {
  const { store, clock, zone } = parts
  return {
    job(job: StoredJob): Job {
      const { anchor: _, cursor: __, toldAt: ___, changedBy: ____, guest: _____, ...facts } = job
      const now = clock.now()
      const times = timesOf(job.schedule, Math.min(job.anchor, now))
      const clockChange = job.state === 'active' ? clockChangeWords(job.schedule, now) : undefined
      return {
        ...facts,
        words: scheduleWords(job.schedule, zone),
        isChanging: !parts.isReading(job.work),
        ...(job.work.kind === 'drill' && { approvedUntil: parts.approvedUntil(job) ?? null }),
        next: job.state === 'active' ? times.next(now, shownNext) : [],
        last: store.slots(job.id, { limit: shownSlots }).map(shownSlot).reverse(),
        ...(clockChange !== undefined && { clockChange }),
      }
    },
    /** The next instants of a schedule, and its meaning in words. @throws JarvisError `invalid_request` with the reason */
    preview(schedule: Schedule): SchedulePreview {
      const now = clock.now()
      requireFuture(schedule, now)
      const clockChange = clockChangeWords(schedule, now)
      return {
        words: scheduleWords(schedule, zone),
        next: timesOf(schedule, now).next(now, shownNext),
        ...(clockChange !== undefined && { clockChange }),
      }
    },
  }
}

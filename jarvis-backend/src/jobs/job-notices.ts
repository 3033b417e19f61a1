import { named } from 'redaction/visible'
import type { FactTypes } from '../house.ts'
import type { StoredJob, StoredSlot } from './job.ts'

const ends = {
  done: { level: 'info', title: 'A job is done', words: 'is done' },
  failed: { level: 'warning', title: 'A job failed', words: 'failed' },
  unknown: {
    level: 'warning',
    title: 'A job ended without a known outcome',
    words: 'ended, and its outcome is not known',
  },
} as const
const isTold = (state: string): state is keyof typeof ends => Object.hasOwn(ends, state)

/**
 * @returns a function that tells people how a job's run ended. Skipped and missed runs are not told. The notice leaves out the
 * run's summary, because a model may have written it.
 */
export const tellOfJobs =
  (due: (notice: FactTypes['notice.due']) => void) =>
  ({ id, name, work }: StoredJob, { slot, state }: StoredSlot): void => {
    // A heartbeat that found nothing ends the same way, many times a day; what it finds is an alert.
    if (!isTold(state) || (work.kind === 'heartbeat' && state === 'done')) return
    const { level, title, words } = ends[state]
    due({
      notice: {
        kind: 'job',
        level,
        title,
        body: `The job ${named(name)} ${words}.`,
        hidden: `${title}.`,
        tag: `job-${id}-${slot}`,
        path: `/automations?job=${encodeURIComponent(id)}`,
      },
    })
  }

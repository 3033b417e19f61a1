import { named } from 'redaction/visible'
import type { FactTypes } from '../house.ts'
import type { JobTeller, StoredJob, StoredSlot } from './job.ts'

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

export type TellerParts = {
  /** Announces a sentence in the activity feed. */
  announce: JobTeller['announce']
  notice(due: FactTypes['notice.due']): void
  activity: { changed(what: { what: 'jobs' }): void }
}

/** Announces failures, sends a notice about each run's end, and makes clients reload the jobs. */
export class Teller implements JobTeller {
  readonly #parts: TellerParts

  constructor(parts: TellerParts) {
    this.#parts = parts
  }

  announce(...sentence: Parameters<JobTeller['announce']>): void {
    this.#parts.announce(...sentence)
  }

  changed(): void {
    this.#parts.activity.changed({ what: 'jobs' })
  }

  /**
   * Sends a notice about the end of a run. Skipped and missed runs cause none. The notice leaves out the run's summary, because a model may have
   * written it.
   */
  ended({ id, name, work }: StoredJob, { slot, state }: StoredSlot): void {
    // A heartbeat without findings ends like this many times a day, and a finding of a heartbeat has its own alert.
    if (!isTold(state) || (work.kind === 'heartbeat' && state === 'done')) return
    const { level, title, words } = ends[state]
    this.#parts.notice({
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
}

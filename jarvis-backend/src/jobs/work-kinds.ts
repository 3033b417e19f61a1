import type { JobWork, Principal } from 'protocol'
import type { JobCalls, Worker } from './job.ts'

/** Workers by the kind of their work. */
export type Workers = Partial<Record<JobWork['kind'], Worker>>

/** The kinds of work. A prompt or a call is one run; each other kind has a worker. */
export class WorkKinds {
  readonly #calls: JobCalls
  readonly #workers: Workers

  constructor(calls: JobCalls, workers: Workers) {
    this.#calls = calls
    this.#workers = workers
  }

  worker(kind: JobWork['kind']): Worker | undefined {
    return this.#workers[kind]
  }

  /** Returns true if the work changes nothing. A prompt may change something: nobody knows which calls a model will make. */
  isReading(work: JobWork): boolean {
    if (work.kind === 'call') return this.#calls.isReading(work)
    return work.kind !== 'prompt' && (this.#workers[work.kind]?.isReading(work) ?? false)
  }

  /** The reason why the work cannot be a job of `asker`; undefined if it can be. */
  refusal(work: JobWork, asker: Principal): string | undefined {
    if (work.kind === 'prompt') return undefined
    if (work.kind === 'call') return this.#calls.refusal(work, asker)
    const worker = this.#workers[work.kind]
    return worker === undefined ? `there is no ${work.kind} here.` : worker.refusal?.(work)
  }
}

import type { JobStore, StoredJob } from './job.ts'

/** Runs writes that are committed together. */
export type Transactions = { durably<T>(work: () => T): T }

export type SwitchParts = {
  store: Pick<JobStore, 'get' | 'save'>
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  journal: { append(kind: 'job', body: Record<string, unknown>): void }
  transactions: Transactions
  /** Unix ms. */
  now(): number
}

const key = 'jobs_stopped'

/** Pauses and resumes single jobs, and stops and starts all jobs. Every change is journalled. */
export class JobSwitches {
  readonly #parts: SwitchParts

  constructor(parts: SwitchParts) {
    this.#parts = parts
  }

  /** The person who stopped all jobs, and the time, Unix ms; undefined while jobs may run. */
  stopped(): { by: string; at: number } | undefined {
    const kept = this.#parts.settings.get(key)
    return kept === undefined || kept === '' ? undefined : (JSON.parse(kept) as { by: string; at: number })
  }

  /** Stops all jobs, or lets them run again. Runs that are at work continue. @returns false if nothing changed */
  switchAll(isOff: boolean, by: string): boolean {
    const { settings, journal, transactions, now } = this.#parts
    return transactions.durably(() => {
      if ((this.stopped() !== undefined) === isOff) return false
      settings.set(key, isOff ? JSON.stringify({ by, at: now() }) : '')
      journal.append('job', { change: isOff ? 'all_stopped' : 'all_started', by })
      return true
    })
  }

  /** Pauses a job. @returns the paused job; undefined if there is no such job, or it is not active */
  pause(id: string, by: string, why: string): StoredJob | undefined {
    const { store, journal, transactions, now } = this.#parts
    return transactions.durably(() => {
      const job = store.get(id)
      if (job?.state !== 'active') return undefined
      const paused: StoredJob = { ...job, state: 'paused', paused: { by, at: now(), why } }
      store.save(paused)
      journal.append('job', { change: 'paused', job: id, name: job.name, by, why })
      return paused
    })
  }

  /**
   * Resumes a job. Slots count from now on: the slots during the pause are neither run nor recorded as missed. @returns undefined if the job is not
   * paused
   */
  resume(id: string, by: string): StoredJob | undefined {
    const { store, journal, transactions, now } = this.#parts
    return transactions.durably(() => {
      const job = store.get(id)
      if (job?.state !== 'paused') return undefined
      const { paused: _, ...rest } = job
      const resumed: StoredJob = { ...rest, state: 'active', failures: 0, cursor: now() }
      store.save(resumed)
      journal.append('job', { change: 'resumed', job: id, name: job.name, by })
      return resumed
    })
  }
}

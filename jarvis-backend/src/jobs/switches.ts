import type { JobStore, StoredJob } from './job.ts'

/** Writes that are committed together. */
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

/** Pauses and resumes one job, stops and starts all. Every switch is journalled. */
export class JobSwitches {
  readonly #parts: SwitchParts

  constructor(parts: SwitchParts) {
    this.#parts = parts
  }

  /** The person who stopped all jobs, and when (Unix ms); undefined while jobs run. */
  stopped(): { by: string; at: number } | undefined {
    const kept = this.#parts.settings.get(key)
    return kept === undefined || kept === '' ? undefined : (JSON.parse(kept) as { by: string; at: number })
  }

  /** Stops all jobs, or lets them run again. Runs at work go on. @returns false if that was so before */
  switchAll(isOff: boolean, by: string): boolean {
    const { settings, journal, transactions, now } = this.#parts
    return transactions.durably(() => {
      if ((this.stopped() !== undefined) === isOff) return false
      settings.set(key, isOff ? JSON.stringify({ by, at: now() }) : '')
      journal.append('job', { change: isOff ? 'all_stopped' : 'all_started', by })
      return true
    })
  }

  /** @returns the paused job; undefined if there is no such job, or it is not active */
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

  /** Resumes a job. Its slots count from now on: slots of the pause are neither run nor missed. @returns undefined if it is not paused */
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

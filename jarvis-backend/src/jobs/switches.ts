import type { JobStore, StoredJob } from './job.ts'

/** The parts that keep the switches. The command line has only these. */
export type SwitchParts = {
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  journal: { append(kind: 'job', body: Record<string, unknown>): void }
  transactions: { durably<T>(work: () => T): T }
}

const key = 'jobs_stopped'

/** The person who stopped all jobs, and when (Unix ms); undefined while jobs run. */
export function stoppedOf({ get }: SwitchParts['settings']): { by: string; at: number } | undefined {
  const kept = get(key)
  return kept === undefined || kept === '' ? undefined : (JSON.parse(kept) as { by: string; at: number })
}

/** Stops all jobs, or lets them run again. What runs goes on. @returns false where that was so before */
export function switchAll(parts: SwitchParts, isOff: boolean, by: string, at: number): boolean {
  return parts.transactions.durably(() => {
    if ((stoppedOf(parts.settings) !== undefined) === isOff) return false
    parts.settings.set(key, isOff ? JSON.stringify({ by, at }) : '')
    parts.journal.append('job', { change: isOff ? 'all_stopped' : 'all_started', by })
    return true
  })
}

/** @returns the paused job; undefined where there is no such job, or it is not active */
export function pauseJob(
  parts: SwitchParts,
  store: Pick<JobStore, 'get' | 'save'>,
  id: string,
  by: string,
  why: string,
  at: number,
): StoredJob | undefined {
  return parts.transactions.durably(() => {
    const job = store.get(id)
    if (job?.state !== 'active') return undefined
    const paused: StoredJob = { ...job, state: 'paused', paused: { by, at, why } }
    store.save(paused)
    parts.journal.append('job', { change: 'paused', job: id, name: job.name, by, why })
    return paused
  })
}

/** Its slots count from now on: those of the pause are neither run nor missed. @returns undefined where it is not paused */
export function resumeJob(
  parts: SwitchParts,
  store: Pick<JobStore, 'get' | 'save'>,
  id: string,
  by: string,
  at: number,
): StoredJob | undefined {
  return parts.transactions.durably(() => {
    const job = store.get(id)
    if (job?.state !== 'paused') return undefined
    const { paused: _, ...rest } = job
    const resumed: StoredJob = { ...rest, state: 'active', failures: 0, cursor: at }
    store.save(resumed)
    parts.journal.append('job', { change: 'resumed', job: id, name: job.name, by })
    return resumed
  })
}

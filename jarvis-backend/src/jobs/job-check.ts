import { JarvisError, type Principal } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import type { JobCalls, JobStore, StoredJob } from './job.ts'
import type { SchedulerParts } from './scheduler.ts'
import { requireFuture } from './times.ts'

/**
 * Checks what a job shall be.
 * @param asker in whose name the job asks
 * @param id of the job that is changed; absent: it is new
 * @throws JarvisError `invalid_request` with the reason
 */
export type JobCheck = (job: Pick<StoredJob, 'name' | 'work' | 'schedule'>, asker: Principal, id?: string) => void

export const createJobCheck =
  (parts: {
    store: Pick<JobStore, 'list'>
    calls: Pick<JobCalls, 'refusal'>
    workers: SchedulerParts['workers']
    clock: Clock
    redact(text: string): string
  }): JobCheck =>
  ({ name, work, schedule }, asker, id) => {
    const refuse = (reason: string): never => {
      throw new JarvisError('invalid_request', reason)
    }
    requireFuture(schedule, parts.clock.now())
    const same = (other: StoredJob) => other.id !== id && other.name.toLowerCase() === name.toLowerCase()
    if (parts.store.list().some(same)) refuse(`name: there is a job ${JSON.stringify(name)} already.`)
    const text = JSON.stringify(work)
    if (parts.redact(name) !== name || parts.redact(text) !== text)
      refuse('It holds a secret, which everybody who may look could read. Nothing was saved.')
    const why = work.kind === 'call' ? parts.calls.refusal(work, asker) : undefined
    if (why !== undefined) refuse(`work: ${parts.redact(why)}`)
    if (work.kind === 'prompt' || work.kind === 'call') return
    const worker = parts.workers[work.kind]
    const problem = worker === undefined ? `there is no ${work.kind} here.` : worker.refusal?.(work)
    if (problem !== undefined) refuse(`work: ${problem}`)
  }

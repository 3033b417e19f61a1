import { JarvisError, type Principal } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import type { JobStore, StoredJob } from './job.ts'
import { requireFuture } from './times.ts'
import type { WorkKinds } from './work-kinds.ts'

export type JobCheckParts = {
  store: Pick<JobStore, 'list'>
  kinds: Pick<WorkKinds, 'refusal'>
  clock: Clock
  redact(text: string): string
}

/**
 * Checks a job before it is saved.
 * @param of `asker`: the principal in whose name the job's runs ask. `id`: the job that is changed; absent: the job is new
 * @throws JarvisError `invalid_request` with the reason
 */
export function checkJob(
  { store, kinds, clock, redact }: JobCheckParts,
  { name, work, schedule }: Pick<StoredJob, 'name' | 'work' | 'schedule'>,
  of: { asker: Principal; id?: string | undefined },
): void {
  requireFuture(schedule, clock.now())
  const isSame = (other: StoredJob) => other.id !== of.id && other.name.toLowerCase() === name.toLowerCase()
  if (store.list().some(isSame)) refuse(`name: there is a job ${JSON.stringify(name)} already.`)
  const text = JSON.stringify(work)
  if (redact(name) !== name || redact(text) !== text)
    refuse('It holds a secret, which everybody who may look could read. Nothing was saved.')
  const why = kinds.refusal(work, of.asker)
  if (why !== undefined) refuse(`work: ${redact(why)}`)
}

function refuse(reason: string): never {
  throw new JarvisError('invalid_request', reason)
}

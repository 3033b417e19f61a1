import { ageOf, oneLine, plainName } from '../../homelab/format.ts'
import { type PbsJob, readJobs } from '../../homelab/pbs/read.ts'
import { CannotRun, type Check, type Measure } from '../check.ts'

/** A failed job of a backup server. Nothing else reports that copies are not verified, pruned or synchronised. */
export const pbsJob: Check = {
  id: 'pbs-job',
  title: 'Job of the backup server',
  reads: 'GET /admin/verify, gc, prune and sync of the backup server',
  limit: () => 'Its last run failed, or ended with warnings.',
  pace: 'sweep',
  from: [],
  forMs: 0,
  async look({ pbs, now, signal }) {
    if (pbs === undefined) throw new CannotRun('No Proxmox Backup Server is connected (PBS_URL).')
    const { items, missing } = await readJobs(pbs, { signal })
    const [problem] = missing
    return {
      measures: items.map((job) => measured(job, now)),
      unread: new Map(problem === undefined ? [] : [['*', problem]]),
    }
  },
}

function levelOf({ lastState, isDisabled, badChunks = 0 }: PbsJob): Measure['level'] {
  if (badChunks > 0) return 'failed'
  // A job counts as failed only after a run: not while it runs, and not if it never ran.
  if (lastState === 'running') return 'between'
  if (lastState === null || lastState === 'OK' || isDisabled) return 'clear'
  return /^WARNINGS?\b/i.test(lastState) ? 'look' : 'failed'
}

function measured(job: PbsJob, now: number): Measure {
  const { kind, id, store, lastState, lastAt, badChunks = 0 } = job
  const level = levelOf(job)
  const words = badChunks > 0 ? `${badChunks} broken chunks` : oneLine(lastState ?? 'never ran', 120)
  const ended = lastAt === undefined ? '' : ` ${ageOf(lastAt, now)}`
  const how = level === 'look' ? 'ended with warnings' : level === 'failed' ? 'failed' : 'ended'
  return {
    object: { id: `pbs/${kind}/${store}/${id}`, name: id },
    level,
    words,
    sentence: `The ${kind} job ${plainName(id)} of datastore ${plainName(store)} ${how}${ended}: ${words.replace(/\.$/, '')}.`,
  }
}

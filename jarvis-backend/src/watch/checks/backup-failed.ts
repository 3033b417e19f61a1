import { whoseAt } from 'homelab-ports/guest-identity'
import type { Guest, Storage, Task } from 'protocol'
import { clusterTime } from 'protocol/facts'
import { ageOf, oneLine, plainName } from '../../homelab/format.ts'
import { type BackupJob, readBackupJob } from '../../homelab/operations/backup-job.ts'
import { readTaskLog } from '../../homelab/operations/task-log.ts'
import type { Check, CheckPorts, Measure } from '../check.ts'
import { guestName, guestObject, nodeObject, when } from '../measure.ts'
import { backupInputs } from './known.ts'

const newest = 200
/** Maximum number of backup jobs of several guests whose logs are read on each node, newest first: two weeks of nightly jobs. */
const mostJobs = 14

/** The outcome of a guest's newest backup. `why`: the reason if it failed. */
type Outcome = { at: number; why?: string | undefined; words: string }
type Job = { task: Task; job?: BackupJob; unread?: string }

/**
 * A guest whose newest backup failed. A backup job of several guests is one task on each node, and the task names no guest. So the task's log is
 * read, once. If the log cannot be read, the node gets the alert.
 */
export function backupFailedCheck(): Check {
  /** The backup jobs of ended tasks whose logs were read, by UPID. */
  const known = new Map<string, BackupJob>()

  async function jobOf(task: Task, { api, signal }: CheckPorts): Promise<Job> {
    const before = known.get(task.upid)
    if (before !== undefined) return { task, job: before }
    try {
      const { lines, isWhole } = await readTaskLog(api, task, signal)
      if (!isWhole) return { task, unread: 'its log is too long to read' }
      const job = readBackupJob(lines)
      known.set(task.upid, job)
      return { task, job }
    } catch (error) {
      signal.throwIfAborted()
      return { task, unread: error instanceof Error ? error.message : String(error) }
    }
  }

  return {
    id: 'backup-failed',
    title: 'Backup failed',
    reads: 'GET /nodes/{node}/tasks, type vzdump, and the logs of those that failed or name no guest',
    limit: () => 'The newest backup of a guest failed.',
    pace: 'sweep',
    from: ['nodes', 'guests'],
    forMs: 0,
    runbooks: ['backup-failed'],
    async look(ports) {
      const { cluster, state, signal } = ports
      const now = clusterTime(ports.now, state)
      const unread = new Map<string, string>()
      const last = new Map<number, Outcome>()
      /** By node: the end of its newest job whose log could not be read, so that the outcome is not known. */
      const doubtful = new Map<string, number>()
      const jobs: Measure[] = []
      const seen = new Set<string>()
      const tell = (vmid: number, outcome: Outcome) => {
        if (outcome.at > (last.get(vmid)?.at ?? 0)) last.set(vmid, outcome)
      }
      for (const { name, status } of state.nodes) {
        if (status !== 'online') {
          unread.set(name, `${name} is ${status}`)
          continue
        }
        const { items, missing, isUnread } = await cluster.tasks(
          { node: name, type: 'vzdump', limit: newest },
          { signal },
        )
        if (isUnread || missing.length > 0) unread.set(name, missing[0] ?? 'Its tasks could not be read.')
        const ended = items.filter((task) => task.status !== 'running')
        for (const { upid } of ended) seen.add(upid)
        const single = new Set<number>()
        for (const task of ended) {
          if (task.vmid === undefined) continue
          // Read the log only for a guest's newest task: no other task matters, and only the log tells the reason.
          const isNewest = !single.has(task.vmid)
          single.add(task.vmid)
          const { job } = task.status === 'failed' && isNewest ? await jobOf(task, ports) : { job: undefined }
          tell(task.vmid, outcomeOf(task, job?.guests.get(task.vmid) ?? job?.problem))
        }
        const several = ended.filter(({ vmid }) => vmid === undefined).slice(0, mostJobs)
        const read: Job[] = []
        for (const task of several) read.push(await jobOf(task, ports))
        for (const { task, job } of read)
          for (const [vmid, why] of job?.guests ?? [])
            tell(vmid, { at: endOf(task), why, words: why ?? task.exitStatus ?? 'OK' })
        const blind = read.filter((one) => one.unread !== undefined)
        if (blind.length > 0) doubtful.set(name, Math.max(...blind.map(({ task }) => endOf(task))))
        const [latest] = read
        if (latest !== undefined) jobs.push(jobMeasure(name, latest, now))
      }
      for (const upid of known.keys()) if (!seen.has(upid)) known.delete(upid)
      const measures = state.guests
        .filter(({ isTemplate }) => !isTemplate)
        .flatMap((guest) =>
          guestMeasure(guest, {
            last: ofGuest(guest, last.get(guest.vmid)),
            unknownAt: doubtful.get(guest.node),
            now,
            storages: state.storages,
          }),
        )
      return { measures: [...jobs, ...measures], unread }
    },
  }
}

const endOf = ({ endedAt, startedAt }: Task) => endedAt ?? startedAt

function outcomeOf(task: Task, why: string | undefined): Outcome {
  const words = task.exitStatus ?? task.status
  return { at: endOf(task), words: why ?? words, ...(task.status === 'failed' && { why: why ?? words }) }
}

/** The outcome of an earlier guest with the same VMID says nothing about this guest. */
const ofGuest = ({ identity }: Guest, last: Outcome | undefined) =>
  last !== undefined && whoseAt(identity, last.at) === 'earlier' ? undefined : last

/** @param known `unknownAt`: the end of a job of the guest's node whose outcome is not known */
function guestMeasure(
  guest: Guest,
  {
    last,
    unknownAt,
    now,
    storages = [],
  }: {
    last: Outcome | undefined
    unknownAt: number | undefined
    now: number
    storages?: readonly Storage[] | undefined
  },
): Measure[] {
  const of = { object: guestObject(guest), inputs: backupInputs(guest, storages) }
  const who = guestName(guest)
  if (unknownAt !== undefined && unknownAt > (last?.at ?? 0))
    return [
      {
        ...of,
        level: 'unseen',
        words: 'unknown',
        sentence: `Whether the newest backup of ${who} worked is not known.`,
      },
    ]
  // Proxmox keeps tasks only for a while. An older failure is reported by the check of the backup's age.
  if (last === undefined) return []
  const { why, at, words } = last
  const storage = why === undefined ? undefined : /storage '([\w.-]+)'/.exec(why)?.[1]
  // A backup to a storage that is away would only fail again.
  const isAway = storages.some(({ name, isActive }) => name === storage && isActive === false)
  const because = why === undefined || why === 'job errors' ? '' : `: ${oneLine(why, 160)}`
  const ended = why === undefined ? 'worked' : 'failed'
  return [
    {
      ...of,
      level: when(why !== undefined, 'failed'),
      words: oneLine(words, 120),
      sentence: `The backup of ${who} ${ended} ${ageOf(at, now)}${because.replace(/\.$/, '')}.`,
      inputs: { ...of.inputs, ...(storage !== undefined && !isAway && { storage }) },
    },
  ]
}

/** The newest backup job of several guests on a node. It is bad if it failed and its log names no guest whose backup failed. */
function jobMeasure(node: string, { task, job, unread }: Job, now: number): Measure {
  const isTold = [...(job?.guests.values() ?? [])].some((why) => why !== undefined)
  const isBad = task.status === 'failed' && !isTold
  const words = oneLine(task.exitStatus ?? task.status, 120)
  const why =
    unread === undefined ? oneLine(job?.problem ?? words, 160) : `which guests is not known (${oneLine(unread, 120)})`
  return {
    object: nodeObject(node),
    level: when(isBad, 'failed'),
    words,
    sentence: `A backup job on ${plainName(node)} ${isBad ? 'failed' : 'ended'} ${ageOf(endOf(task), now)}${isBad ? `: ${why.replace(/\.$/, '')}` : ''}.`,
    inputs: { node },
  }
}

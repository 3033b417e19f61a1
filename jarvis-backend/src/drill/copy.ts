import { ApiError } from 'homelab-ports/failure'
import type { Cluster, PveApi } from 'homelab-ports/ports'
import { drillPool, JarvisError, type Task } from 'protocol'
import { z } from 'zod'
import { runTask } from '../homelab/operations/run-task.ts'
import { rowsOf, words } from '../homelab/pve/answers.ts'
import { followTask } from '../homelab/pve/follow.ts'
import { guestPath } from '../homelab/pve/guest.ts'
import { readRights, sightOf } from '../homelab/pve/rights.ts'
import { parseUpid } from '../homelab/pve/upid.ts'
import { type Drill, markOf } from './drill.ts'
import { type GuestConfig, pulledNets, readConfigAnswer } from './guest-config.ts'

/**
 * The guest at the copy's vmid. `own`: the drill's copy, recognised by pool, description and claim. `half`: the remainder of a failed restore.
 * `other`: cannot be proven to be the drill's, and is never touched.
 */
export type Found =
  | { kind: 'gone' }
  | { kind: 'own' | 'half'; config: GuestConfig; isRunning: boolean }
  | { kind: 'other'; why: string }

type Parts = { api: PveApi; cluster: Pick<Cluster, 'tasks'> }

/** Tolerance for comparing times: task times are whole seconds, and the nodes' clocks differ a little. */
const slackMs = 5_000
/** Time within which a restore's task appears if the answer to the request was lost. */
const arrivesWithinMs = 15_000
const newestTasks = 200

const MemberRow = z.object({ type: words, vmid: z.coerce.number() })

export const copyPath = ({ node, type, copy }: Pick<Drill, 'node' | 'type' | 'copy'>) =>
  guestPath({ node, type, vmid: copy })

/**
 * The parameters of the restore request. Proxmox merges these overrides last, so each network card is given again with its link down. A container
 * gets no `unique`: with it, the backup's own cards would replace these, with their links up.
 */
export function restoreForm(drill: Drill, config: GuestConfig, bwlimitKiBps?: number): Record<string, string> {
  const { type, copy, vmid, archive, storage } = drill
  const common = {
    vmid: String(copy),
    storage,
    pool: drillPool,
    start: '0',
    onboot: '0',
    protection: '0',
    description: markOf(drill),
    ...pulledNets(type, config),
    ...(bwlimitKiBps !== undefined && { bwlimit: String(bwlimitKiBps) }),
  }
  return type === 'vm'
    ? { ...common, archive, unique: '1', name: `drill-${vmid}` }
    : { ...common, ostemplate: archive, restore: '1', unprivileged: '1', hostname: `drill-${vmid}` }
}

/**
 * A free vmid of the range. The search begins after `before`, so that a vmid that was freed just now is not taken again at once. @throws JarvisError
 * `conflict` if none is free; ApiError
 */
export async function freeId(
  { api, cluster }: { api: PveApi; cluster: Pick<Cluster, 'state'> },
  { first, last, before = last }: { first: number; last: number; before?: number | undefined },
  signal: AbortSignal,
): Promise<number> {
  const taken = new Set(cluster.state().guests.map(({ vmid }) => vmid))
  const count = last - first + 1
  for (let n = 1; n <= count; n += 1) {
    const vmid = first + ((((before - first + n) % count) + count) % count)
    if (!taken.has(vmid) && (await isFree(api, vmid, signal))) return vmid
  }
  throw new JarvisError(
    'conflict',
    `Every id from ${first} to ${last} is taken. Look whether old copies are left there.`,
  )
}

async function isFree(api: PveApi, vmid: number, signal: AbortSignal): Promise<boolean> {
  try {
    await api.get(['cluster', 'nextid'], { vmid: String(vmid) }, { signal })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return false
    throw error
  }
}

/** Finds out which guest is at the copy's vmid now. @throws ApiError if that cannot be read */
export async function lookAt({ api, cluster }: Parts, drill: Drill, signal: AbortSignal): Promise<Found> {
  let config: GuestConfig
  try {
    config = readConfigAnswer(await api.get([...copyPath(drill), 'config'], {}, { signal }))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'cluster_refused') throw error
    if (await isFree(api, drill.copy, signal)) return { kind: 'gone' }
    const isElsewhere = /does not exist/.test(error.words)
    return {
      kind: 'other',
      why: isElsewhere ? `${drill.copy} is another guest now` : `${drill.copy} cannot be read: ${error.words}`,
    }
  }
  const status = (await api.get([...copyPath(drill), 'status', 'current'], {}, { signal })) as { status?: unknown }
  const isRunning = status.status !== 'stopped'
  const description = config.description?.trim() ?? ''
  const isMember = await isInPool(api, drill, signal)
  if (description === markOf(drill) && isMember) return { kind: 'own', config, isRunning }
  if (description === '' && !isMember) {
    const doubt = await doubtOfHalf({ cluster }, drill, signal)
    if (doubt === undefined && !isRunning) return { kind: 'half', config, isRunning }
    return { kind: 'other', why: `${drill.copy} is not provably the drill’s: ${doubt ?? 'it runs'}` }
  }
  const differs = description === markOf(drill) ? `it is not in the pool ${drillPool}` : 'its description is another'
  return { kind: 'other', why: `${drill.copy} is not provably the drill’s: ${differs}` }
}

async function isInPool(api: PveApi, { copy, type }: Drill, signal: AbortSignal): Promise<boolean> {
  const pool = (await api.get(['pools', drillPool], {}, { signal })) as { members?: unknown }
  const wanted = type === 'vm' ? 'qemu' : 'lxc'
  return rowsOf(MemberRow, pool.members).rows.some((member) => member.vmid === copy && member.type === wanted)
}

/**
 * Returns the reason why a guest without description cannot be taken for a remainder of the drill's restore; undefined if it must be one: the restore
 * failed, and no other task has made, ended or changed a guest with this vmid since.
 */
async function doubtOfHalf({ cluster }: Pick<Parts, 'cluster'>, drill: Drill, signal: AbortSignal) {
  const { own, others, missing } = await tasksOf(cluster, drill, signal)
  if (missing.length > 0) return `the tasks cannot be read: ${missing.join(', ')}`
  if (own === undefined) return 'it has no description, and no restore of the drill is known'
  if (own.status !== 'failed') return 'it has no description'
  return others.length === 0 ? undefined : `it has no description, and ${others[0]?.type} had to do with it since`
}

/** The drill's own restore task, and all other tasks of this vmid since it began. They are ordered by the node's own clock. */
async function tasksOf(
  cluster: Pick<Cluster, 'tasks'>,
  { upid, copy, at, type }: Drill,
  signal: AbortSignal,
): Promise<{ own: Task | undefined; others: Task[]; missing: string[] }> {
  const { items, missing } = await cluster.tasks({ limit: newestTasks }, { signal })
  const about = items.filter((task) => task.vmid === copy)
  const word = type === 'vm' ? 'qmrestore' : 'vzrestore'
  const since = about.filter((task) => task.type === word && task.startedAt >= at - slackMs)
  const own =
    upid === undefined ? (since.length === 1 ? since[0] : undefined) : about.find((task) => task.upid === upid)
  return { own, others: about.filter((task) => task !== own && task.startedAt >= (own?.startedAt ?? 0)), missing }
}

/**
 * Waits until no restore of the drill runs any more, because a copy cannot be removed while its restore runs. This includes a restore whose request
 * got no answer.
 * @param isWanted false: stops the restore task @throws ApiError, JarvisError `outcome_unknown`; the signal's reason
 */
export async function restoreEnded(
  { api, cluster }: Parts,
  drill: Drill,
  { isWanted, signal }: { isWanted: boolean; signal: AbortSignal },
): Promise<void> {
  const from = api.now()
  let waitedMs = 0
  let upid = drill.upid
  while (upid === undefined) {
    const { own, missing } = await tasksOf(cluster, drill, signal)
    upid = own?.upid
    if (upid !== undefined) break
    if (Math.max(api.now() - from, waitedMs) >= arrivesWithinMs) {
      if (missing.length === 0) return
      throw new JarvisError('cluster_unreachable', `Whether the restore runs is not known: ${missing.join(', ')}.`)
    }
    await api.wait(1_000, signal)
    waitedMs += 1_000
  }
  const parsed = parseUpid(upid)
  if (parsed === undefined) return
  if (!isWanted) {
    try {
      await api.change({ method: 'DELETE', path: ['nodes', parsed.node, 'tasks', upid], form: {} }, { signal })
    } catch (error) {
      // The task has ended already, or may not be stopped. Wait for its end.
      if (!(error instanceof ApiError)) throw error
    }
  }
  await followTask(api, { ...parsed, upid }, { signal })
}

/**
 * Stops the copy and destroys it. Checks right before each request that the copy is the drill's.
 * @returns a sentence about parts of the copy that are left; undefined if none are left @throws ApiError, JarvisError if it could not be done now
 */
export async function removeCopy(parts: Parts, drill: Drill, signal: AbortSignal): Promise<string | undefined> {
  const { api } = parts
  let found = await lookAt(parts, drill, signal)
  if (found.kind === 'own' && found.isRunning) {
    await must(
      runTask(api, { path: [...copyPath(drill), 'status', 'stop'], what: `the stop of ${drill.copy}` }, { signal }),
    )
    found = await lookAt(parts, drill, signal)
  }
  if (found.kind === 'gone') return undefined
  if (found.kind === 'other') return `${found.why}. It was not touched.`
  await must(runTask(api, { method: 'DELETE', path: copyPath(drill), what: `the end of ${drill.copy}` }, { signal }))
  const after = await lookAt(parts, drill, signal)
  if (after.kind === 'own' || after.kind === 'half')
    throw new JarvisError('cluster_refused', `${drill.copy} is still there after it was destroyed.`)
  return await volumesLeft(api, drill, signal)
}

const VolumeRow = z.object({ volid: z.string() })
/**
 * Returns a sentence about volumes that are left, because a failed restore may leave volumes that no configuration names; undefined if none are
 * left.
 */
async function volumesLeft(api: PveApi, { node, storage, copy }: Drill, signal: AbortSignal) {
  try {
    const answer = await api.get(['nodes', node, 'storage', storage, 'content'], { vmid: String(copy) }, { signal })
    const left = rowsOf(VolumeRow, answer).rows.map(({ volid }) => volid)
    const sees = sightOf(await readRights(api, signal), 'disks', `/vms/${copy}`) === 'all'
    if (left.length === 0 && !sees)
      return `The copy is gone. Whether volumes of it are left on ${storage} is not known: the token may not see them (VM.Config.Disk).`
    return left.length === 0 ? undefined : `The copy is gone, and these volumes of it are left: ${left.join(', ')}.`
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return `The copy is gone. Whether volumes of it are left on ${storage} cannot be read.`
  }
}

/** Waits for a task. @throws JarvisError if the task failed */
async function must(outcome: ReturnType<typeof runTask>): Promise<void> {
  const { ok, exitStatus, refused } = await outcome
  if (!ok) throw refused ?? new JarvisError('cluster_refused', `Proxmox ended the task with: ${exitStatus}`)
}

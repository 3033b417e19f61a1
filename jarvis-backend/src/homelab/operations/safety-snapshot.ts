import { createHash } from 'node:crypto'
import { ApiError } from 'homelab-ports/failure'
import type { PveApi, PveAsk } from 'homelab-ports/ports'
import type { ClusterState, Storage } from 'protocol'
import { guestPath, type Place } from '../pve/guest.ts'
import { type GuestConfig, record, volumesOf } from './guest-config.ts'
import { runTask, type TaskOutcome } from './run-task.ts'
import { mayBeSnapshot } from './snapshots.ts'

/** The name of a snapshot to take before a change, or why none can be taken. */
export type Safety = { name: string; because?: undefined } | { name?: undefined; because: string }

export const safetyKeptMs = 24 * 3_600_000
export const safetyNote = 'Taken by JARVIS before it changed the guest. It is deleted after 24 h.'
/** Storage types on which a snapshot is quick. A snapshot in a file stops the guest for minutes; other types are not known. */
const quick = ['zfspool', 'lvmthin', 'rbd', 'btrfs']
const mostFull = 0.8

/** A change of a guest. */
type Change = {
  place: Place
  config: GuestConfig
  /** The change in words that are the same for the same change. */
  change: string
  /** The cluster's storages. */
  storages: ClusterState['storages']
}

/**
 * Tells if a snapshot can be taken before a change, and its name. The name stays the same for the same change of the same configuration on the same
 * day. @throws ApiError
 */
export async function safetyOf(api: PveApi, { place, config, change, storages }: Change, ask: PveAsk): Promise<Safety> {
  const names = new Set(volumesOf(config.values).map(({ storage }) => storage))
  if (names.size === 0) return { because: 'it has no disk' }
  for (const name of names) {
    const storage = name === undefined ? undefined : storageAt(storages, name, place.node)
    if (storage === undefined) return { because: `${name ?? 'a disk outside of all storages'} is not known` }
    if (!quick.includes(storage.type)) return { because: `on ${name} (${storage.type}) it would hold the guest up` }
    const share = fullness(storage)
    if (share === undefined) return { because: `how full ${name} is, is not known` }
    if (share > mostFull) return { because: `${name} is ${Math.round(share * 100)} % full` }
  }
  const isThin = [...names].some((name) => storageAt(storages, name ?? '', place.node)?.type === 'lvmthin')
  const crowded = isThin ? await fullMetadata(api, place.node, ask) : undefined
  if (crowded !== undefined) return { because: crowded }
  if (!(await mayBeSnapshot(api, place, ask))) return { because: 'its disks do not all allow it' }
  const day = new Date(api.now()).toISOString().slice(0, 10).replaceAll('-', '')
  const id = createHash('sha1').update(`${place.vmid} ${config.digest} ${change}`).digest('hex').slice(0, 6)
  return { name: `jarvis-${day}-${id}` }
}

/** Takes the snapshot. Its task is not the task of the change, and is reported to nobody. @throws JarvisError as `runTask` does */
export const takeSafety = (
  api: PveApi,
  { place, name }: { place: Place; name: string },
  signal: AbortSignal,
): Promise<TaskOutcome> =>
  runTask(
    api,
    {
      path: [...guestPath(place), 'snapshot'],
      form: { snapname: name, description: safetyNote },
      what: `a snapshot of ${place.vmid}`,
    },
    { signal },
  )

/** Returns the storage of this name that is shared or on this node. */
export const storageAt = (storages: readonly Storage[], name: string, node: string): Storage | undefined =>
  storages.find((storage) => storage.name === name && (storage.node === undefined || storage.node === node))

const fullness = ({ usedBytes, totalBytes }: Storage): number | undefined =>
  usedBytes === null || totalBytes === null || totalBytes === 0 ? undefined : usedBytes / totalBytes

/** Returns why the metadata of a node's thin pools has no room, or that this is unknown; undefined if there is room. */
async function fullMetadata(api: PveApi, node: string, ask: PveAsk): Promise<string | undefined> {
  const unknown = 'how full the metadata of its thin pool is, is not known'
  let pools: unknown
  try {
    pools = await api.get(['nodes', node, 'disks', 'lvmthin'], {}, ask)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'cluster_refused') return unknown
    throw error
  }
  const shares = (Array.isArray(pools) ? pools : [])
    .map(record)
    .map(({ metadata_used: used, metadata_size: size }) =>
      used === undefined || size === undefined || Number(size) === 0 ? undefined : Number(used) / Number(size),
    )
  if (shares.length === 0 || shares.includes(undefined)) return unknown
  const most = Math.max(...shares.map((share) => share ?? 1))
  return most > mostFull ? `the metadata of a thin pool is ${Math.round(most * 100)} % full` : undefined
}

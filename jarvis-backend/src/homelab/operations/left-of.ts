import { ApiError, isAbsent } from 'homelab-ports/failure'
import type { PveReader } from 'homelab-ports/ports'
import { oneLine, plainName } from '../format.ts'
import type { Place } from '../pve/guest.ts'
import { readRights, sightOf } from '../pve/rights.ts'
import { parseUpid } from '../pve/upid.ts'
import { readConfig, record, type Volume, volumesOf } from './guest-config.ts'

const listOf = (answer: unknown) => (Array.isArray(answer) ? answer : []).map(record)
const gib = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1).replace(/\.0$/, '')} GiB`

/**
 * Describes what a failed change left behind, in sentences: the guest's node, its lock, disks that are missing or differ in size from the
 * configuration, and disks that remain without a guest. Says so if something cannot be read.
 * @throws the signal's reason
 */
export async function leftOf(api: PveReader, place: Place, signal: AbortSignal): Promise<string> {
  try {
    return await leftOn(api, place, signal)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return isAbsent(error) ? await leftElsewhere(api, place, signal) : unread(place, error)
  }
}

function unread({ vmid }: Place, error: unknown): string {
  const words = error instanceof ApiError && error.words !== '' ? error.words : String(error)
  return `What it left of ${vmid} could not be read: ${oneLine(words, 160)}.`
}

/**
 * Looks elsewhere, because the guest is not on its node: a failed move may have left it on another node, and a failed copy or destroy may have left
 * disks without a guest.
 */
async function leftElsewhere(api: PveReader, place: Place, signal: AbortSignal): Promise<string> {
  try {
    const rows = listOf(await api.get(['cluster', 'resources'], { type: 'vm' }, { signal }))
    const node = rows.find(({ vmid }) => Number(vmid) === place.vmid)?.node
    if (node === undefined || node === place.node) return await leftWithout(api, place, signal)
    return `It is on ${plainName(node)} now. ${await leftOn(api, { ...place, node }, signal)}`
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return isAbsent(error)
      ? `${place.vmid} has no configuration where it was, and none elsewhere.`
      : unread(place, error)
  }
}

async function leftOn(api: PveReader, place: Place, signal: AbortSignal): Promise<string> {
  const { lock, values } = await readConfig(api, place, { signal })
  const volumes = volumesOf(values).filter(({ storage }) => storage !== undefined)
  const sees = volumes.length > 0 && (await seesDisksOf(api, place, signal))
  const disks = await Promise.all(volumes.map((volume) => diskLeft(api, { ...volume, node: place.node, sees }, signal)))
  const odd = [
    ...(lock === undefined ? [] : [`it is locked (${plainName(lock)}), and the lock may outlive its task`]),
    ...disks.filter((words) => words !== undefined),
  ]
  const found =
    odd.length === 0 ? 'it is there, not locked, with its disks as configured' : `it is there; ${odd.join('; ')}`
  return `Read afterwards of ${place.vmid}: ${found}.`
}

/** @throws ApiError */
async function leftWithout(api: PveReader, { vmid, node }: Place, signal: AbortSignal): Promise<string> {
  const [answer, sees] = await Promise.all([
    api.get(['nodes', node, 'storage'], { content: 'images,rootdir' }, { signal }),
    seesDisksOf(api, { vmid }, signal),
  ])
  const storages = listOf(answer)
  const unread: string[] = []
  const read = async ({ storage = '' }: Record<string, string>) => {
    try {
      return listOf(
        await api.get(['nodes', node, 'storage', storage, 'content'], { vmid: String(vmid) }, { signal }),
      ).filter(({ content }) => content === 'images' || content === 'rootdir')
    } catch {
      if (signal.aborted) throw signal.reason
      unread.push(plainName(storage))
      return []
    }
  }
  const disks = (await Promise.all(storages.map(read))).flat().map(({ volid = '' }) => oneLine(volid, 80))
  const found = disks.length === 0 ? '' : `; these disks of it are: ${[...new Set(disks)].join(', ')}`
  const unknown = [
    ...(unread.length === 0 ? [] : [`; what ${unread.join(', ')} holds of it could not be read`]),
    ...(sees
      ? []
      : ['; whether more disks of it are left is not known, because the token may not see them (VM.Config.Disk)']),
  ].join('')
  return `Read afterwards: there is no guest ${vmid} on ${plainName(node)}${found}${unknown}.`
}

/**
 * True if the storages list the guest's disks to this token. Without the right, Proxmox silently leaves the disks out. @throws the signal's reason
 */
const seesDisksOf = async (api: PveReader, { vmid }: Pick<Place, 'vmid'>, signal: AbortSignal) =>
  sightOf(await readRights(api, signal), 'disks', `/vms/${vmid}`) === 'all'

/**
 * Describes a disk that is missing or has another size than configured, in words; undefined if the disk is as configured. @param volume `sees`: the
 * token may see the guest's disks
 */
async function diskLeft(
  api: PveReader,
  { node, key, id, storage = '', sizeBytes, sees }: Volume & { node: string; sees: boolean },
  signal: AbortSignal,
): Promise<string | undefined> {
  let rows: Record<string, string>[]
  try {
    const answer = await api.get(['nodes', node, 'storage', storage, 'content'], {}, { signal })
    rows = listOf(answer)
  } catch {
    if (signal.aborted) throw signal.reason
    return `whether ${key} is still on ${plainName(storage)} could not be read`
  }
  const found = rows.find(({ volid }) => volid === id)
  if (found === undefined) {
    return sees
      ? `${key} is gone from ${plainName(storage)}: its data is lost, and the configuration still names it`
      : `whether ${key} is still on ${plainName(storage)} is not known, because the token may not see the guest’s disks (VM.Config.Disk)`
  }
  const size = Number(found.size)
  // A disk in a directory has no size of its own, so there is nothing to compare.
  if (sizeBytes === undefined || !(size > 0) || Math.abs(size - sizeBytes) < 1024 ** 2) return undefined
  return `${key} is ${gib(size)} on ${plainName(storage)}, and ${gib(sizeBytes)} by its configuration`
}

/** Maximum number of reasons that are quoted: the log of a backup job has an error line for each guest that failed. */
const mostReasons = 3

/**
 * Returns the reason why a task ended. A failed backup always has the exit status `job errors`; only its log has the reason. @throws the signal's
 * reason
 */
export async function reasonOf(
  api: PveReader,
  { upid = '', exitStatus }: { upid?: string | undefined; exitStatus: string },
  signal: AbortSignal,
): Promise<string> {
  const node = parseUpid(upid)?.node
  if (exitStatus !== 'job errors' || node === undefined) return exitStatus
  try {
    const rows = await api.get(['nodes', node, 'tasks', upid, 'log'], { limit: '500' }, { signal })
    const lines = listOf(rows).map(({ t = '' }) => t)
    const errors = lines.flatMap((text) => (text.startsWith('ERROR: ') ? [text.slice('ERROR: '.length)] : []))
    const left = errors.length - mostReasons
    return errors.length === 0
      ? exitStatus
      : [...errors.slice(0, mostReasons), ...(left > 0 ? [`and ${left} more`] : [])].join('; ')
  } catch {
    if (signal.aborted) throw signal.reason
    return exitStatus
  }
}

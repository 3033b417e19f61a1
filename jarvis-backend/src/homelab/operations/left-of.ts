import { oneLine, plainName } from '../format.ts'
import type { PveReader } from '../ports.ts'
import { ApiError } from '../proxmox/failure.ts'
import type { Place } from '../proxmox/guest.ts'
import { parseUpid } from '../proxmox/upid.ts'
import { readConfig, record, type Volume, volumesOf } from './guest-config.ts'

const gib = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1).replace(/\.0$/, '')} GiB`

/**
 * What a failed change left of a guest, read from its node, in sentences: whether it is there, its lock, and disks that are gone or of another
 * size than configured. What cannot be read is said to be unknown.
 * @throws the signal's reason
 */
export async function leftOf(api: PveReader, place: Place, signal: AbortSignal): Promise<string> {
  const { vmid } = place
  try {
    const { lock, values } = await readConfig(api, place, { signal })
    const volumes = volumesOf(values).filter(({ storage }) => storage !== undefined)
    const disks = await Promise.all(volumes.map((volume) => diskLeft(api, place, volume, signal)))
    const odd = [
      ...(lock === undefined ? [] : [`it is locked (${plainName(lock)}), and the lock may outlive its task`]),
      ...disks.filter((words) => words !== undefined),
    ]
    const found =
      odd.length === 0 ? 'it is there, not locked, with its disks as configured' : `it is there; ${odd.join('; ')}`
    return `Read afterwards of ${vmid}: ${found}.`
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const words = error instanceof ApiError && error.words !== '' ? error.words : String(error)
    if (/^Configuration file .* does not exist/.test(words))
      return `Read afterwards: there is no guest ${vmid} on ${plainName(place.node)}.`
    return `What it left of ${vmid} could not be read: ${oneLine(words, 160)}.`
  }
}

/** What is odd about a disk; undefined where it is there, as large as configured. */
async function diskLeft(
  api: PveReader,
  { node }: Place,
  { key, id, storage = '', sizeBytes }: Volume,
  signal: AbortSignal,
): Promise<string | undefined> {
  let rows: Record<string, string>[]
  try {
    const answer = await api.get(['nodes', node, 'storage', storage, 'content'], {}, { signal })
    rows = (Array.isArray(answer) ? answer : []).map(record)
  } catch {
    if (signal.aborted) throw signal.reason
    return `whether ${key} is still on ${plainName(storage)} could not be read`
  }
  const found = rows.find(({ volid }) => volid === id)
  if (found === undefined) {
    const seesDisks = rows.some(({ content }) => content === 'images' || content === 'rootdir')
    return seesDisks
      ? `${key} is gone from ${plainName(storage)}: its data is lost, and the configuration still names it`
      : `whether ${key} is still on ${plainName(storage)} is not known: the storage shows no disk, because there is none or the token may not see them`
  }
  const size = Number(found.size)
  // A directory has no size of its own.
  if (sizeBytes === undefined || !(size > 0) || Math.abs(size - sizeBytes) < 1024 ** 2) return undefined
  return `${key} is ${gib(size)} on ${plainName(storage)}, and ${gib(sizeBytes)} by its configuration`
}

/** The reason that a task ended with. A backup ends with `job errors` whatever went wrong, and only its log says what. @throws the signal's reason */
export async function reasonOf(
  api: PveReader,
  { upid = '', exitStatus }: { upid?: string | undefined; exitStatus: string },
  signal: AbortSignal,
): Promise<string> {
  const node = parseUpid(upid)?.node
  if (exitStatus !== 'job errors' || node === undefined) return exitStatus
  try {
    const rows = await api.get(['nodes', node, 'tasks', upid, 'log'], { limit: '500' }, { signal })
    const lines = (Array.isArray(rows) ? rows : []).map((row) => record(row).t ?? '')
    const line = lines.find((text) => text.startsWith('ERROR: '))
    return line === undefined ? exitStatus : line.slice('ERROR: '.length)
  } catch {
    if (signal.aborted) throw signal.reason
    return exitStatus
  }
}

import type { PveApi } from 'homelab-ports/ports'
import { GuestNow, GuestRow } from '../pve/answers.ts'
import { guestPath, type Place } from '../pve/guest.ts'
import type { Sighting } from './known.ts'
import { statusIn } from './state.ts'

/** QEMU's states of a VM that exists but does not run, because of a person, a full storage, a fault or its kernel. */
const held = new Set(
  'paused suspended prelaunch io-error internal-error guest-panicked watchdog debug shutdown'.split(' '),
)

/** Reads a guest from its own node. Only that node can tell a paused VM from a running one. @throws ApiError */
export async function seeGuest(
  api: Pick<PveApi, 'get'>,
  place: Place,
  { now, signal }: { now(): number; signal: AbortSignal },
): Promise<Sighting> {
  return sightingOf(await readGuest(api, place, signal), now())
}

/** Reads a guest's present state at its node. @throws ApiError */
export const readGuest = async (api: Pick<PveApi, 'get'>, place: Place, signal: AbortSignal) =>
  GuestNow.parse(await api.get([...guestPath(place), 'status', 'current'], {}, { signal }))

type Said = Awaited<ReturnType<typeof readGuest>>

export function sightingOf({ name, status, qmpstatus, uptime }: Said, at: number): Sighting {
  const word = status === 'running' && held.has(qmpstatus ?? '') ? 'paused' : status
  return { status: statusIn(word), uptimeS: uptime ?? 0, at, name }
}

/** Returns the row of a guest as the cluster's list will soon show it. */
export const listedAs = ({ vmid, node, type }: Place, { cpus, ...now }: Said): GuestRow =>
  GuestRow.parse({ ...now, vmid, node, type: type === 'vm' ? 'qemu' : 'lxc', maxcpu: cpus })

import type { Guest } from '../../protocol/index.ts'
import type { PveApi } from '../ports.ts'
import { GuestNow } from './answers.ts'
import type { Sighting } from './known.ts'
import { statusIn } from './state.ts'

/** Where a guest is now. */
export type Place = { vmid: number; node: string; type: Guest['type'] }

/** The API's path of a guest. */
export const guestPath = ({ vmid, node, type }: Place) => ['nodes', node, type === 'vm' ? 'qemu' : 'lxc', vmid]

/** QEMU's words for a VM that is there and does not work: a person, a full storage, a fault or its kernel stopped it. */
const held = new Set(
  'paused suspended prelaunch io-error internal-error guest-panicked watchdog debug shutdown'.split(' '),
)

/** Asks the guest's own node: a paused VM can be told from a running one only there. @throws ApiError */
export async function seeGuest(
  api: Pick<PveApi, 'get'>,
  place: Place,
  now: () => number,
  signal: AbortSignal,
): Promise<Sighting> {
  const { name, status, qmpstatus, uptime } = GuestNow.parse(
    await api.get([...guestPath(place), 'status', 'current'], {}, { signal }),
  )
  const word = status === 'running' && held.has(qmpstatus ?? '') ? 'paused' : status
  return { status: statusIn(word), uptimeS: uptime ?? 0, at: now(), ...(name !== undefined && { name }) }
}

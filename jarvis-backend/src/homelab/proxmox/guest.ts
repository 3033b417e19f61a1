import type { Guest } from '../../protocol/index.ts'
import { GuestNow } from './answers.ts'
import type { Sighting } from './known.ts'
import { statusIn } from './state.ts'
import type { Api } from './transport.ts'

/** Where a guest is now. */
export type Place = { vmid: number; node: string; type: Guest['type'] }

/** The API's path of a guest. */
export const pathOf = ({ vmid, node, type }: Place) => ['nodes', node, type === 'vm' ? 'qemu' : 'lxc', vmid, 'status']

/** Asks the guest's own node: a paused VM can be told from a running one only there. @throws ApiError */
export async function seeGuest(api: Api, place: Place, now: () => number, signal: AbortSignal): Promise<Sighting> {
  const { name, status, qmpstatus, uptime } = GuestNow.parse(
    await api.get([...pathOf(place), 'current'], {}, { signal }),
  )
  const word = status === 'running' && (qmpstatus === 'paused' || qmpstatus === 'suspended') ? 'paused' : status
  return { status: statusIn(word), uptimeS: uptime ?? 0, at: now(), ...(name !== undefined && { name }) }
}

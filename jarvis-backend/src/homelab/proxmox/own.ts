import type { PveChange } from 'homelab-ports/ports'
import type { Place } from '../pve/guest.ts'

/**
 * True if the request changes guests. Restarts of services do not count: the restarted service may be the one that answers requests, so no read may
 * follow.
 */
export const isAboutGuests = ({ path }: PveChange): boolean => ['qemu', 'lxc', 'vzdump'].includes(String(path[2]))

/** The place of a request's guest after the request was carried out. `isGone`: the request destroys the guest. */
export type GuestLeft = Place & { isGone: boolean }

/** Finds the guests that a request changes. @returns an empty list if it changes no guest */
export function guestsLeft({ method, path, form }: PveChange): GuestLeft[] {
  const [nodes, node, kind, number, deed] = path.map(String)
  if (nodes !== 'nodes' || node === undefined || (kind !== 'qemu' && kind !== 'lxc')) return []
  const type = kind === 'qemu' ? 'vm' : 'ct'
  const at = (vmid: unknown, place: unknown = node) =>
    ({ vmid: Number(vmid), node: String(place), type, isGone: false }) as const
  if (number === undefined) return form.vmid === undefined ? [] : [at(form.vmid)]
  if (deed === undefined) return [{ ...at(number), isGone: method === 'DELETE' }]
  if (deed === 'clone') return [at(number), at(form.newid, form.target)]
  return [deed === 'migrate' ? at(number, form.target) : at(number)]
}

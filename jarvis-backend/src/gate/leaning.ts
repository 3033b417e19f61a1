import type { GuestReply } from 'protocol'
import { groupsOf, isOwnGuest, lossesWithout, type World } from './index.ts'

/** Returns the dependents of a guest that the gate knows: from roles, groups, and the guest or node on which JARVIS runs. */
export function leaningOn(vmid: number, world: World): Pick<GuestReply, 'leansOn' | 'groups' | 'isOwn'> {
  const guest = world.cluster.guests.find((known) => known.vmid === vmid)
  if (guest === undefined) return { leansOn: [], groups: [], isOwn: false }
  return {
    leansOn: lossesWithout(guest, world),
    groups: groupsOf(guest, world).map(({ name, others }) => ({
      name,
      others: others.map(({ vmid: id, name: its, status }) => ({ vmid: id, name: its, status })),
    })),
    isOwn: isOwnGuest(vmid, world),
  }
}

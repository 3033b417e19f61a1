import { groupsOf, isOwnGuest, lossesWithout, type World } from '../gate/index.ts'
import type { Leaning } from '../http/guests.ts'

/** Who needs a guest, as far as the gate knows: by its roles, its groups and where JARVIS runs. */
export function leaningOn(vmid: number, world: World): Leaning {
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

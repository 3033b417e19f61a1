import { plainName } from '../../homelab/format.ts'
import type { Check, Measure } from '../check.ts'
import { guestName, guestObject, seen, when } from '../measure.ts'

/** A guest that stays locked while no task works on it: it can be neither started nor backed up. */
export const staleLock: Check = {
  id: 'stale-lock',
  title: 'Lock without a task',
  reads: 'GET /cluster/resources, lock',
  limit: () => 'Locked for an hour while no task works on it.',
  pace: 'state',
  forMs: 3_600_000,
  look({ state }) {
    const busy = new Set(state.tasks.filter(({ status }) => status === 'running').map(({ vmid }) => vmid))
    const measures = state.guests.map((guest): Measure => {
      const isStale = guest.lock !== undefined && !busy.has(guest.vmid)
      const who = guestName(guest)
      const sentence =
        guest.lock === undefined
          ? `${who} is not locked.`
          : `${who} is locked (${plainName(guest.lock)}), and no task works on it.`
      return {
        object: guestObject(guest),
        level: when(isStale, 'look'),
        words: guest.lock ?? 'none',
        sentence,
        inputs: { vmid: guest.vmid },
      }
    })
    return seen(measures)
  },
}

import type { ClusterState, Guest } from 'protocol'
import { lockHolder, unlockCommand } from 'protocol/locks'
import { plainName } from '../../homelab/format.ts'
import type { Check, Measure } from '../check.ts'
import { guestName, guestObject, seen } from '../measure.ts'

/** The lock of a VM that is suspended to disk. This lock is the VM's state, and starting the VM removes it. */
const sleeps = new Set(['suspended'])
/** A guest that stays locked while no task works on it: it can be neither started nor backed up. */
export const staleLock: Check = {
  id: 'stale-lock',
  title: 'Lock without a task',
  reads: 'GET /cluster/resources, lock',
  limit: () => 'Locked for an hour while no task of its node can hold the lock.',
  pace: 'state',
  from: ['nodes', 'guests', 'tasks'],
  forMs: 3_600_000,
  look: ({ state }) => seen(state.guests.map((guest) => measured(guest, state))),
}

function measured(guest: Guest, state: ClusterState): Measure {
  const { lock, vmid } = guest
  const of = { object: guestObject(guest), words: lock ?? 'none', inputs: { vmid } }
  const who = guestName(guest)
  if (lock === undefined || sleeps.has(lock)) return { ...of, level: 'clear', sentence: `${who} is not locked.` }
  const is = `${who} is locked (${plainName(lock)})`
  const holder = lockHolder(guest, state)
  if (holder === 'unknown')
    return { ...of, level: 'unseen', sentence: `${is}, and whether a task works on it is not known.` }
  if (holder !== 'none')
    return {
      ...of,
      level: 'clear',
      sentence: `${is}, and a task ${plainName(holder.type)} on ${plainName(holder.node)} runs.`,
    }
  return {
    ...of,
    level: 'look',
    sentence: `${is}, and no task of its node can hold the lock. ${unlockCommand(guest)} on its node removes it.`,
  }
}

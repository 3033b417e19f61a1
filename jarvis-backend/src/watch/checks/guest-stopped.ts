import type { Guest } from 'protocol'
import { withoutTemplates } from 'protocol/facts'
import { createStops, taskMayShowMs } from '../../homelab/stops.ts'
import type { Check, Measure } from '../check.ts'
import { guestName, guestObject, seen } from '../measure.ts'

/**
 * A guest that stopped without a task that stopped it: it crashed, the kernel killed it for lack of memory, or it was shut down from inside. A stop
 * while JARVIS did not look is not detected.
 */
export function guestStoppedCheck(): Check {
  const stopsOf = createStops()
  return {
    id: 'guest-stopped',
    title: 'Guest stopped by itself',
    reads: 'GET /cluster/resources and /cluster/tasks',
    limit: () => 'It was running, is off, and no task, HA or restart of its node did it.',
    pace: 'state',
    from: ['nodes', 'guests', 'tasks'],
    forMs: 2 * taskMayShowMs,
    look({ state }) {
      const stops = stopsOf(state)
      const levelOf = ({ vmid, status }: Guest): Measure['level'] => {
        if (status === 'running' || status === 'paused') return 'clear'
        const stop = stops.get(vmid)
        if (status !== 'stopped') return 'unseen'
        // An alert from before this start of JARVIS continues; no new one begins.
        if (stop === undefined || stop.is === 'held') return 'between'
        return stop.is === 'explained' ? 'clear' : 'failed'
      }
      return seen(
        withoutTemplates(state.guests).map((guest): Measure => {
          const level = levelOf(guest)
          const said = level === 'failed' ? 'went off, and no task stopped it' : `is ${guest.status}`
          return {
            object: guestObject(guest),
            level,
            words: guest.status,
            sentence: `${guestName(guest)} ${said}.`,
            inputs: { vmid: guest.vmid, node: guest.node },
          }
        }),
      )
    },
  }
}

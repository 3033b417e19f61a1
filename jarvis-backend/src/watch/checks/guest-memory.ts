import type { Guest } from 'protocol'
import { withoutTemplates } from 'protocol/facts'
import { guestPath } from '../../homelab/pve/guest.ts'
import { isForbidden } from '../../homelab/pve/rights.ts'
import { CannotRun, type Check, type Measure } from '../check.ts'
import { guestName, guestObject } from '../measure.ts'
import { heldFor, longest, overPressure, pressureLimit, pressureOf } from './pressure.ts'

/** A guest whose programs are stalled by lack of memory, as measured by its node. Proxmox VE 9 records the value each minute. */
export const guestMemory: Check = {
  id: 'guest-memory',
  title: 'Memory pressure of a guest',
  reads: 'GET /nodes/{node}/{type}/{vmid}/rrddata, pressurememoryfull',
  limit: pressureLimit,
  pace: 'sweep',
  from: ['nodes', 'guests'],
  forMs: 0,
  async look(ports) {
    const { state, signal } = ports
    const away = state.nodes.filter(({ status }) => status !== 'online')
    const unread = new Map(away.map(({ name, status }) => [name, `${name} is ${status}`]))
    const measures: Measure[] = []
    let hasPressure = false
    for (const guest of withoutTemplates(state.guests)) {
      if (guest.status === 'stopped' || unread.has(guest.node)) continue
      try {
        const values = await pressureOf(ports, guestPath(guest))
        hasPressure ||= values.length > 0
        measures.push(measured(guest, heldFor(values, longest)))
      } catch (error) {
        signal.throwIfAborted()
        if (isForbidden(error)) throw new CannotRun('The token needs VM.Audit on /vms.')
        measures.push(measured(guest, undefined))
      }
    }
    if (measures.length > 0 && !hasPressure)
      throw new CannotRun('No guest has its memory pressure recorded; Proxmox VE 9 does that.')
    return { measures, unread }
  },
}

function measured(guest: Guest, value: number | undefined): Measure {
  const of = { object: guestObject(guest), inputs: { vmid: guest.vmid, node: guest.node } }
  const who = guestName(guest)
  if (value === undefined)
    return { ...of, level: 'unseen', words: 'unknown', sentence: `The memory pressure of ${who} is not known.` }
  const words = `${Math.round(value)} %`
  const sentence = `All that runs in ${who} waited for memory ${words} of the time.`
  return { ...of, level: overPressure(value), words, value, sentence }
}

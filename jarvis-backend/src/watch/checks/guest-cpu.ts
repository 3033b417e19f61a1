import { percent } from 'node-kit/words'
import type { Guest } from 'protocol'
import { withoutTemplates } from 'protocol/facts'
import type { Check, Measure } from '../check.ts'
import { guestName, guestObject, seen } from '../measure.ts'
import { overOrUnseen } from './known.ts'

const clears = 0.1

export const guestCpu: Check = {
  id: 'guest-cpu',
  title: 'CPU of a guest',
  reads: 'GET /cluster/resources',
  limit: ({ cpuRatio, cpuMinutes }) =>
    `Limit ${percent(cpuRatio)} for ${cpuMinutes} min, clears at ${percent(cpuRatio - clears)}.`,
  pace: 'state',
  from: ['guests'],
  forMs: ({ cpuMinutes }) => cpuMinutes * 60_000,
  runbooks: ['guest-busy'],
  look: ({ state, limits: { cpuRatio } }) =>
    seen(withoutTemplates(state.guests).map((guest) => measured(guest, cpuRatio))),
}

function measured(guest: Guest, limit: number): Measure {
  const { status, cpuRatio } = guest
  const isIdle = status === 'stopped' || status === 'paused'
  const words = isIdle ? status : cpuRatio === null || status === 'unknown' ? 'unknown' : percent(cpuRatio)
  const load = status === 'unknown' ? undefined : cpuRatio
  return {
    object: guestObject(guest),
    // A stopped guest has no load.
    level: isIdle ? 'clear' : overOrUnseen(load, { look: limit, clear: limit - clears }),
    words,
    ...(typeof load === 'number' && { value: load }),
    sentence: `${guestName(guest)} uses ${words} of its CPU.`,
    ...(guest.lock === 'backup' && { explainedBy: 'A backup of it runs.' }),
    chart: { series: `guest/${guest.vmid}`, field: 'cpuRatio', limit, clears: limit - clears },
    inputs: { vmid: guest.vmid, node: guest.node },
  }
}

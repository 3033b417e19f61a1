import { z } from 'zod'
import { guestPath } from '../../homelab/pve/guest.ts'
import { isForbidden } from '../../homelab/pve/rights.ts'
import { CannotRun, type Check, type Measure } from '../check.ts'
import { guestName, guestObject } from '../measure.ts'

const startMs = 10 * 60_000
const Status = z.object({ agent: z.coerce.number().optional() })

/** A running VM whose configured guest agent does not answer: its backups are then not consistent. */
export const agentSilent: Check = {
  id: 'agent-silent',
  title: 'Guest agent silent',
  reads: 'GET /nodes/{node}/qemu/{vmid}/agent/get-osinfo',
  limit: () => 'Configured, and silent 10 min after its start.',
  pace: 'sweep',
  from: ['nodes', 'guests'],
  forMs: 0,
  runbooks: ['guest-unresponsive'],
  async look({ state, api, signal }) {
    const measures: Measure[] = []
    const unread = new Map<string, string>()
    for (const { name, status } of state.nodes) if (status !== 'online') unread.set(name, `${name} is ${status}`)
    for (const guest of state.guests) {
      const isNew = guest.uptimeS !== null && guest.uptimeS * 1000 < startMs
      if (guest.type !== 'vm' || guest.status === 'stopped' || unread.has(guest.node) || isNew) continue
      const of = { object: guestObject(guest), inputs: { vmid: guest.vmid } }
      const who = guestName(guest)
      try {
        const { agent } = Status.parse(await api.get([...guestPath(guest), 'status', 'current'], {}, { signal }))
        if (agent !== 1) continue
        await api.get([...guestPath(guest), 'agent', 'get-osinfo'], {}, { signal })
        measures.push({ ...of, level: 'clear', words: 'answers', sentence: `The agent of ${who} answers.` })
      } catch (error) {
        signal.throwIfAborted()
        if (isForbidden(error)) throw new CannotRun('The token needs VM.GuestAgent.Audit on /vms.')
        const why = error instanceof Error ? error.message : String(error)
        const isSilent = /not running|got timeout|timed out|agent/i.test(why)
        const level = guest.lock !== undefined || !isSilent ? 'unseen' : 'look'
        measures.push({ ...of, level, words: 'silent', sentence: `The guest agent of ${who} does not answer.` })
      }
    }
    return { measures, unread }
  },
}

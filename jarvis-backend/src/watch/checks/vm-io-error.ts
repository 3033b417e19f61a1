import type { Guest } from 'protocol'
import { withoutTemplates } from 'protocol/facts'
import { plainName } from '../../homelab/format.ts'
import { GuestNow } from '../../homelab/pve/answers.ts'
import { guestPath } from '../../homelab/pve/guest.ts'
import type { Check, CheckPorts, Measure } from '../check.ts'
import { guestName, guestObject, seen } from '../measure.ts'

export const vmIoError: Check = {
  id: 'vm-io-error',
  title: 'VM paused by an I/O error',
  reads: 'GET /nodes/{node}/qemu/{vmid}/status/current',
  limit: () => 'At once.',
  pace: 'state',
  from: ['guests'],
  forMs: 0,
  asks: true,
  async look(ports) {
    const vms = withoutTemplates(ports.state.guests).filter(({ type }) => type === 'vm')
    const measures = await Promise.all(vms.map((guest) => measured(guest, ports)))
    return seen(measures)
  },
}

/** Measures one VM. Only the node of a paused VM knows the reason of the pause. */
async function measured(guest: Guest, { api, signal }: CheckPorts): Promise<Measure> {
  const { status, vmid, node } = guest
  const about = { object: guestObject(guest), inputs: { vmid, node } }
  const sentence = `${guestName(guest)} is paused by an I/O error: its storage may be full or away.`
  if (status !== 'paused')
    return { ...about, level: status === 'unknown' ? 'unseen' : 'clear', words: status, sentence }
  try {
    const answer = await api.get([...guestPath(guest), 'status', 'current'], {}, { signal })
    const { qmpstatus = 'unknown' } = GuestNow.parse(answer)
    const isHeld = qmpstatus === 'io-error' || qmpstatus === 'internal-error'
    return { ...about, level: isHeld ? 'failed' : 'clear', words: plainName(qmpstatus), sentence }
  } catch (error) {
    signal.throwIfAborted()
    return { ...about, level: 'unseen', words: error instanceof Error ? plainName(error.message) : 'unknown', sentence }
  }
}

import { plainName } from '../../homelab/format.ts'
import { readUpdates } from '../../homelab/operations/packages.ts'
import type { Check, Measure } from '../check.ts'
import { fromNodes, nodeObject, when } from '../measure.ts'
import { updateInputs } from './known.ts'

/** True for an update from Debian's security archive. */
const isSecurity = ({ origin, to }: { origin?: string; to?: string }) =>
  /security/i.test(origin ?? '') || /~deb\d+u\d/.test(to ?? '')

/** A node with updates that have waited for a long time. JARVIS measures the time itself, because Proxmox does not report it. */
const updatesOf = (of: { id: string; title: string; days: number; only: 'security' | 'other' }): Check => ({
  id: of.id,
  title: of.title,
  reads: 'GET /nodes/{node}/apt/update',
  limit: () => `Waits for ${of.days} d.`,
  pace: 'sweep',
  from: ['nodes'],
  forMs: of.days * 86_400_000,
  runbooks: ['update-node'],
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async ({ name }) => {
      const { pending, missing } = await readUpdates(ports.api, name, ports.signal)
      if (pending === null) throw new Error(missing[0] ?? 'Its updates could not be read.')
      return [{ node: name, count: pending.filter((one) => isSecurity(one) === (of.only === 'security')).length }]
    })
    const measures = items.map(({ node, count }): Measure => {
      const what = `${of.only === 'security' ? 'security ' : ''}update${count === 1 ? '' : 's'}`
      return {
        object: nodeObject(node),
        level: when(count > 0, of.only === 'security' ? 'look' : 'info'),
        words: `${count} ${what}`,
        value: count,
        sentence:
          count === 0
            ? `No ${what} wait on ${plainName(node)}.`
            : `${count} ${what} ${count === 1 ? 'waits' : 'wait'} on ${plainName(node)}.`,
        inputs: updateInputs(node, ports.state.nodes),
      }
    })
    return { measures, unread }
  },
})

export const updates = updatesOf({ id: 'updates', title: 'Updates wait', days: 30, only: 'other' })
export const securityUpdates = updatesOf({
  id: 'updates-security',
  title: 'Security updates wait',
  days: 7,
  only: 'security',
})

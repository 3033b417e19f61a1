import { plainName } from '../../homelab/format.ts'
import { readNetwork } from '../../homelab/operations/node-network.ts'
import type { Check, Measure } from '../check.ts'
import { bridgeObject, fromNodes, when } from '../measure.ts'

/** A bridge that should be up and is not: its guests have no network. */
export const bridgeDown: Check = {
  id: 'bridge-down',
  title: 'Bridge down',
  reads: 'GET /nodes/{node}/network',
  limit: () => 'A bridge that starts with its node and is not active.',
  pace: 'sweep',
  from: ['nodes'],
  forMs: 0,
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async ({ name: node }) => {
      const { interfaces } = await readNetwork(ports.api, node, ports.signal)
      // Proxmox says of an interface that it is active, and nothing of one that is not.
      const isSaid = interfaces.some(({ isActive }) => isActive === true)
      return interfaces
        .filter(({ type, values }) => /bridge$/i.test(type) && values.autostart === '1')
        .map((bridge) => ({ node, isSaid, ...bridge }))
    })
    const measures = items.map(
      ({ node, name, isSaid, isActive }): Measure => ({
        object: bridgeObject(node, name),
        level: isSaid ? when(isActive !== true, 'failed') : 'unseen',
        words: isSaid ? (isActive ? 'active' : 'not active') : 'unknown',
        sentence: `Bridge ${plainName(name)} of ${plainName(node)} is not active: its guests have no network.`,
        inputs: { node },
      }),
    )
    return { measures, unread }
  },
}

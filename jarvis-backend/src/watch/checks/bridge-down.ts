import { plainName } from '../../homelab/format.ts'
import { readNetwork } from '../../homelab/operations/node-network.ts'
import { CannotRun, type Check, type Measure } from '../check.ts'
import { bridgeObject, fromNodes, when } from '../measure.ts'

/** A bridge that should be up and is down: its guests have no network. */
export const bridgeDown: Check = {
  id: 'bridge-down',
  title: 'Bridge down',
  reads: 'GET /nodes/{node}/network',
  limit: () => 'A bridge that starts with its node and is not active.',
  pace: 'sweep',
  from: ['nodes'],
  forMs: 0,
  async look(ports) {
    const hiddenOn = new Map<string, string>()
    const { items, unread } = await fromNodes(ports, async ({ name: node }) => {
      const { interfaces, hidden } = await readNetwork(ports.api, node, ports.signal)
      const isBridge = ({ type }: { type: string }) => /bridge$/i.test(type)
      if (hidden !== undefined && !interfaces.some(isBridge))
        throw new CannotRun(`No bridge of ${plainName(node)} is seen: ${hidden}.`)
      if (hidden !== undefined) hiddenOn.set(node, hidden)
      // Proxmox reports that an interface is active, and reports nothing about an inactive one.
      const isSaid = interfaces.some(({ isActive }) => isActive === true)
      return interfaces
        .filter((one) => isBridge(one) && one.values.autostart === '1')
        .map((bridge) => ({ node, isSaid, ...bridge }))
    })
    for (const [node, why] of hiddenOn) unread.set(node, why)
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

import { plainName } from '../../homelab/format.ts'
import type { Check } from '../check.ts'
import { causes } from '../hides.ts'
import { nodeObject, seen } from '../measure.ts'

export const nodeAway: Check = {
  id: causes.node,
  title: 'Node away',
  reads: 'GET /cluster/status',
  limit: () => 'Offline for 30 s.',
  pace: 'state',
  from: ['nodes'],
  forMs: 30_000,
  look: ({ state }) =>
    seen(
      state.nodes.map((node) => ({
        object: nodeObject(node.name),
        level: node.status === 'offline' ? 'failed' : node.status === 'online' ? 'clear' : 'unseen',
        words: node.status,
        sentence: `${plainName(node.name)} is ${node.status}.`,
        inputs: { node: node.name },
      })),
    ),
}

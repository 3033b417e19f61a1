import { plainName } from '../../homelab/format.ts'
import { percent } from '../../lib/words.ts'
import { shareOf } from '../../protocol/facts.ts'
import type { Check } from '../check.ts'
import { nodeObject, seen } from '../measure.ts'
import { overOrUnseen } from './known.ts'

const clears = 0.05

export const nodeMemory: Check = {
  id: 'node-memory',
  title: 'Memory of a node',
  reads: 'GET /cluster/resources',
  limit: ({ ramRatio: [look, failed] }) =>
    `Limit ${percent(look)} for 5 min, failed at ${percent(failed)}, clears at ${percent(look - clears)}.`,
  pace: 'state',
  from: ['nodes'],
  forMs: 5 * 60_000,
  look: ({ state, limits: { ramRatio } }) =>
    seen(
      state.nodes.map((node) => {
        const [look, failed] = ramRatio
        const share = node.status === 'online' ? shareOf(node.ramBytes, node.ramTotalBytes) : undefined
        const words = share === undefined ? 'unknown' : percent(share)
        return {
          object: nodeObject(node.name),
          level: overOrUnseen(share, { look, failed, clear: look - clears }),
          words,
          ...(share !== undefined && { value: share }),
          sentence: `${plainName(node.name)} uses ${words} of its memory.`,
          chart: { series: `node/${node.name}`, field: 'ramRatio', limit: look, clears: look - clears },
          inputs: { node: node.name },
        }
      }),
    ),
}

import { percent } from 'node-kit/words'
import { shareOf } from 'protocol/facts'
import { plainName } from '../../homelab/format.ts'
import type { Check, Measure } from '../check.ts'
import { fromNodes, nodeObject, over } from '../measure.ts'

const share = { look: 0.85, failed: 0.95, clear: 0.8 }

/** A node whose root file system fills up. If it is full, the node's services and the cluster's database stop. */
export const nodeRootDisk: Check = {
  id: 'node-root-disk',
  title: 'Root disk of a node',
  reads: 'GET /nodes/{node}/status, rootfs',
  limit: () => `${percent(share.look)} full, failed at ${percent(share.failed)}, clears at ${percent(share.clear)}.`,
  pace: 'sweep',
  from: ['nodes'],
  forMs: 0,
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async ({ name }) => [
      { node: name, ...(await ports.cluster.nodeDetail(name, { signal: ports.signal })) },
    ])
    const measures = items.map(({ node, rootBytes, rootTotalBytes }): Measure => {
      const object = nodeObject(node)
      const full = shareOf(rootBytes, rootTotalBytes)
      const who = `The root disk of ${plainName(node)}`
      if (full === undefined)
        return { object, level: 'unseen', words: 'unknown', sentence: `${who} could not be read.` }
      const words = `${percent(full)} full`
      return { object, level: over(full, share), words, value: full, sentence: `${who} is ${words}.`, inputs: { node } }
    })
    return { measures, unread }
  },
}

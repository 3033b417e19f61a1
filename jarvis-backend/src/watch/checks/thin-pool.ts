import { percent } from 'node-kit/words'
import { shareOf } from 'protocol/facts'
import { plainName } from '../../homelab/format.ts'
import { readThinPools } from '../../homelab/operations/disks.ts'
import type { Check, Measure } from '../check.ts'
import { fromNodes, itemsOf, over, partObject } from '../measure.ts'

const share = { look: 0.8, failed: 0.9, clear: 0.75 }

/** An LVM-thin pool whose data or metadata is nearly full: at 100 % of either its guests stop. */
export const thinPool: Check = {
  id: 'thin-pool',
  title: 'Thin pool nearly full',
  reads: 'GET /nodes/{node}/disks/lvmthin',
  limit: () =>
    `Data or metadata ${percent(share.look)} full, failed at ${percent(share.failed)}, clears at ${percent(share.clear)}.`,
  pace: 'sweep',
  from: ['nodes', 'storages'],
  forMs: 0,
  runbooks: ['storage-filling'],
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async (node) =>
      itemsOf(await readThinPools(ports.api, [node], ports.signal)),
    )
    const measures = items.map((pool): Measure => {
      const { node, name } = pool
      const data = shareOf(pool.usedBytes, pool.sizeBytes)
      const metadata = shareOf(pool.metadataUsedBytes, pool.metadataBytes)
      const object = partObject('pool', node, name)
      const [storage, ...others] = ports.state.storages.filter((one) => one.type === 'lvmthin' && one.node === node)
      const who = `Thin pool ${plainName(name)} on ${plainName(node)}`
      const say = (of: number | undefined) => (of === undefined ? 'unknown' : percent(of))
      const words = `data ${say(data)}, metadata ${say(metadata)}`
      const value = Math.max(data ?? 0, metadata ?? 0)
      const level = over(value, share)
      // A part whose use is unknown may be full.
      const isUnseen = (data === undefined || metadata === undefined) && (level === 'clear' || level === 'between')
      return {
        object,
        level: isUnseen ? 'unseen' : level,
        words,
        value,
        sentence: `${who}: ${words} full.`,
        inputs: { node, ...(storage !== undefined && others.length === 0 && { storage: storage.name }) },
      }
    })
    return { measures, unread }
  },
}

import { oneLine, plainName } from '../../homelab/format.ts'
import { readPools } from '../../homelab/operations/disks.ts'
import { faultWords } from '../../homelab/operations/storage-concerns.ts'
import type { Check } from '../check.ts'
import { fromNodes, itemsOf, partObject } from '../measure.ts'

/** A pool that is not ONLINE, or whose devices have counted an error. */
export const zfsPool: Check = {
  id: 'zfs-pool',
  title: 'ZFS pool not in order',
  reads: 'GET /nodes/{node}/disks/zfs/{pool}',
  limit: () => 'Not ONLINE, or any read, write or checksum error.',
  pace: 'sweep',
  from: ['nodes'],
  forMs: 0,
  runbooks: ['zfs-degraded'],
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async (node) =>
      itemsOf(await readPools(ports.api, [node], ports.signal)),
    )
    const measures = items.map((pool) => {
      const { node, name, health, faults, errors, missing } = pool
      const who = `ZFS pool ${plainName(name)} on ${plainName(node)}`
      const faultsIn = [...faults.map(faultWords), ...(errors === undefined ? [] : [oneLine(errors, 160)])]
      const isUnseen = missing !== undefined && health === 'ONLINE'
      const level = health !== 'ONLINE' ? 'failed' : isUnseen ? 'unseen' : faultsIn.length > 0 ? 'look' : 'clear'
      const why = [...(health === 'ONLINE' ? [] : [`is ${plainName(health)}`]), ...faultsIn].join('; ')
      return {
        object: partObject('pool', node, name),
        level: level as typeof level,
        words: [plainName(health), ...faultsIn].join('; '),
        sentence: why === '' ? `${who} is ONLINE.` : health === 'ONLINE' ? `${who}: ${why}.` : `${who} ${why}.`,
        inputs: { node, pool: name },
      } as const
    })
    return { measures, unread }
  },
}

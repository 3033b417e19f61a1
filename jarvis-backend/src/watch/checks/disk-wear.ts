import { percent } from 'node-kit/words'
import { oneLine, plainName } from '../../homelab/format.ts'
import { readDisks } from '../../homelab/operations/disks.ts'
import type { Check, Measure } from '../check.ts'
import { diskObject, fromNodes, itemsOf, under } from '../measure.ts'

const left = { look: 0.2, failed: 0.1, clear: 0.2 }

/** A solid-state disk that is nearly worn out. Proxmox's `wearout` is the percent that is left. */
export const diskWear: Check = {
  id: 'disk-wear',
  title: 'Disk nearly worn out',
  reads: 'GET /nodes/{node}/disks/list',
  limit: () => `${percent(left.look)} of its life left, or less; failed at ${percent(left.failed)}.`,
  pace: 'sweep',
  from: ['nodes'],
  forMs: 0,
  runbooks: ['disk-failing'],
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async (node) =>
      itemsOf(await readDisks(ports.api, [node], ports.signal)),
    )
    const measures = items.flatMap(({ node, path, model, lifeLeftRatio }): Measure[] => {
      // A spinning disk has no such value.
      if (lifeLeftRatio === undefined) return []
      const who = `Disk ${oneLine(path, 40)}${model === undefined ? '' : ` (${plainName(model)})`} on ${plainName(node)}`
      return [
        {
          object: diskObject(node, path),
          level: under(lifeLeftRatio, left),
          words: `${percent(lifeLeftRatio)} left`,
          value: lifeLeftRatio,
          isLowBad: true,
          sentence: `${who} has ${percent(lifeLeftRatio)} of its life left.`,
          inputs: { node, disk: path },
        },
      ]
    })
    return { measures, unread }
  },
}

import { oneLine, plainName } from '../../homelab/format.ts'
import { readDisks } from '../../homelab/operations/disks.ts'
import type { Check, Measure } from '../check.ts'
import { diskObject, fromNodes, itemsOf } from '../measure.ts'

/** A disk that reports a failure by SMART. A disk that reports nothing is not failing by this check. */
export const diskSmart: Check = {
  id: 'disk-smart',
  title: 'Disk failing by SMART',
  reads: 'GET /nodes/{node}/disks/list',
  limit: () => 'SMART says neither PASSED nor OK.',
  pace: 'sweep',
  from: ['nodes'],
  forMs: 0,
  runbooks: ['disk-failing'],
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async (node) =>
      itemsOf(await readDisks(ports.api, [node], ports.signal)),
    )
    const measures = items.map(({ node, path, model, isHealthy }): Measure => {
      const who = `Disk ${oneLine(path, 40)}${model === undefined ? '' : ` (${plainName(model)})`} on ${plainName(node)}`
      const words = isHealthy === null ? 'SMART does not say' : isHealthy ? 'SMART: passed' : 'SMART: not passed'
      return {
        object: diskObject(node, path),
        // Disks behind most RAID controllers never report anything.
        level: isHealthy === false ? 'failed' : isHealthy ? 'clear' : 'unseen',
        words,
        sentence: `${who}: ${words}.`,
        inputs: { node, disk: path },
      }
    })
    return { measures, unread }
  },
}

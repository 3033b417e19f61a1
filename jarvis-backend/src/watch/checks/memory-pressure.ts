import { plainName } from '../../homelab/format.ts'
import { CannotRun, type Check, type Measure } from '../check.ts'
import { fromNodes, nodeObject } from '../measure.ts'
import { heldFor, longest, overPressure, pressureLimit, pressureOf } from './pressure.ts'

/** A node whose programs are stalled by lack of memory, as measured by its kernel. Proxmox VE 9 records the value each minute. */
export const memoryPressure: Check = {
  id: 'memory-pressure',
  title: 'Memory pressure of a node',
  reads: 'GET /nodes/{node}/rrddata, pressurememoryfull',
  limit: pressureLimit,
  pace: 'sweep',
  from: ['nodes'],
  forMs: 0,
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async ({ name }) => {
      return [{ node: name, values: await pressureOf(ports, ['nodes', name]) }]
    })
    if (items.length > 0 && items.every(({ values }) => values.length === 0))
      throw new CannotRun('No node records its memory pressure; Proxmox VE 9 does.')
    const measures = items.map(({ node, values }): Measure => {
      const value = heldFor(values, longest)
      const about = { object: nodeObject(node), inputs: { node } }
      const who = plainName(node)
      if (value === undefined)
        return { ...about, level: 'unseen', words: 'unknown', sentence: `The memory pressure of ${who} is not known.` }
      const words = `${Math.round(value)} %`
      return {
        ...about,
        level: overPressure(value),
        words,
        value,
        sentence: `All that runs on ${who} waited for memory ${words} of the time.`,
      }
    })
    return { measures, unread }
  },
}

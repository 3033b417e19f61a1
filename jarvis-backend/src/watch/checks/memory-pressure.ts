import { z } from 'zod'
import { plainName } from '../../homelab/format.ts'
import { figure, rowsOf } from '../../homelab/proxmox/answers.ts'
import { CannotRun, type Check, type Measure } from '../check.ts'
import { fromNodes, nodeObject, over } from '../measure.ts'

/** Percent of the time in which all that runs waited for memory. */
const pressure = { look: 10, failed: 40, clear: 5 }
/** For so many minutes in a row. */
const longest = 5

const Row = z.object({ time: figure, pressurememoryfull: figure })

/** The most that a value held for `minutes` rows in a row; undefined where there are too few. */
export function heldFor(values: readonly number[], minutes: number): number | undefined {
  const held = values.slice(minutes - 1).map((_, at) => Math.min(...values.slice(at, at + minutes)))
  return held.length === 0 ? undefined : Math.max(...held)
}

/** A node whose programs stand still for lack of memory, as its kernel counts it. Proxmox VE 9 records it each minute. */
export const memoryPressure: Check = {
  id: 'memory-pressure',
  title: 'Memory pressure of a node',
  reads: 'GET /nodes/{node}/rrddata, pressurememoryfull',
  limit: () =>
    `All waits for memory ${pressure.look} % of the time for ${longest} min in the last hour, failed at ${pressure.failed} %, clears at ${pressure.clear} %.`,
  pace: 'sweep',
  forMs: 0,
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async ({ name }) => {
      const query = { timeframe: 'hour', cf: 'AVERAGE' }
      const { rows } = rowsOf(Row, await ports.api.get(['nodes', name, 'rrddata'], query, { signal: ports.signal }))
      return [{ node: name, values: rows.flatMap(({ pressurememoryfull: value }) => value ?? []) }]
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
        level: over(value, pressure),
        words,
        value,
        sentence: `All that runs on ${who} waited for memory ${words} of the time.`,
      }
    })
    return { measures, unread }
  },
}

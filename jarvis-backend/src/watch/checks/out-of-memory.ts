import { oneLine, plainName } from '../../homelab/format.ts'
import { readNodeJournal } from '../../homelab/operations/node-journal.ts'
import type { Check, Measure } from '../check.ts'
import { fromNodes, nodeObject } from '../measure.ts'

const dayMs = 86_400_000
const most = 50

/** A process that the kernel killed for lack of memory in the last day. */
export const outOfMemory: Check = {
  id: 'out-of-memory',
  title: 'Killed for lack of memory',
  reads: 'GET /nodes/{node}/journal, “Killed process”',
  limit: () => 'Any in the last 24 h.',
  pace: 'sweep',
  from: ['nodes'],
  forMs: 0,
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async ({ name }) => {
      const of = { node: name, sinceMs: ports.now - dayMs, contains: 'Killed process', most }
      return [{ node: name, ...(await readNodeJournal(ports.api, of, ports.signal)) }]
    })
    const measures = items.map(({ node, lines, found }): Measure => {
      const last = lines.at(-1)
      return {
        object: nodeObject(node),
        level: last === undefined ? 'clear' : 'failed',
        words: last === undefined ? 'none' : `${found} in 24 h`,
        value: found,
        sentence:
          last === undefined
            ? `Nothing on ${plainName(node)} was killed for lack of memory.`
            : `The kernel of ${plainName(node)} killed a process for lack of memory: ${oneLine(last, 160)}.`,
        inputs: { node },
      }
    })
    return { measures, unread }
  },
}

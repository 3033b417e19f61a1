import { z } from 'zod'
import { oneLine, plainName } from '../../homelab/format.ts'
import { readAs, rowsOf, words } from '../../homelab/pve/answers.ts'
import type { Check, Measure } from '../check.ts'
import { fromNodes, nodeObject, when } from '../measure.ts'

const Answer = z.object({ errors: z.array(z.unknown()).optional().catch(undefined) })
const Fault = z.object({ path: words, error: words })

/** A package source that apt cannot read: updates from it are never found. */
export const repositories: Check = {
  id: 'repositories',
  title: 'Broken package source',
  reads: 'GET /nodes/{node}/apt/repositories',
  limit: () => 'Any error in a source.',
  pace: 'sweep',
  from: ['nodes'],
  forMs: 0,
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async ({ name }) => {
      const data = await ports.api.get(['nodes', name, 'apt', 'repositories'], {}, { signal: ports.signal })
      return [{ node: name, faults: rowsOf(Fault, readAs(Answer, data, name).errors ?? []).rows }]
    })
    const measures = items.map(({ node, faults }): Measure => {
      const [first] = faults
      const why = first === undefined ? '' : oneLine(`${first.path ?? ''}: ${first.error ?? 'cannot be read'}`, 160)
      return {
        object: nodeObject(node),
        level: when(faults.length > 0, 'look'),
        words: faults.length === 0 ? 'in order' : why,
        sentence:
          faults.length === 0
            ? `The package sources of ${plainName(node)} are in order.`
            : `A package source of ${plainName(node)} cannot be read. ${why}.`,
        inputs: { node },
      }
    })
    return { measures, unread }
  },
}

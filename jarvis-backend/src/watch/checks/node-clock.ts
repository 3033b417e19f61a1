import { z } from 'zod'
import { plainName } from '../../homelab/format.ts'
import { readAs } from '../../homelab/pve/answers.ts'
import type { Check, Measure } from '../check.ts'
import { fromNodes, nodeObject, over } from '../measure.ts'

/** Proxmox reports whole seconds, so a difference of one second may be no difference. */
const seconds = { look: 2, failed: 30, clear: 1.5 }

const Time = z.object({ time: z.coerce.number() })

/** A node's clock compared with the median of all nodes' clocks, because JARVIS's own clock may be wrong. */
export const nodeClock: Check = {
  id: 'node-clock',
  title: 'Clock of a node',
  reads: 'GET /nodes/{node}/time',
  limit: () => `Over ${seconds.look} s from the other nodes at two looks, failed at ${seconds.failed} s.`,
  pace: 'sweep',
  from: ['nodes'],
  forMs: 3_600_000,
  async look(ports) {
    const started = performance.now()
    const { items, unread } = await fromNodes(ports, async ({ name }) => {
      const began = performance.now()
      const { time } = readAs(Time, await ports.api.get(['nodes', name, 'time'], {}, { signal: ports.signal }), name)
      // Reading the clocks takes time too, so all clocks are compared as of the beginning of the look.
      return [{ node: name, off: time - (ports.now + (began + performance.now()) / 2 - started) / 1000 }]
    })
    const offs = items.map(({ off }) => off).sort((a, b) => a - b)
    const middle = offs[Math.floor((offs.length - 1) / 2)] ?? 0
    const measures = items.map(({ node, off }): Measure => {
      const by = off - middle
      const words = `${Math.abs(Math.round(by))} s ${by < 0 ? 'behind' : 'ahead'}`
      const sentence = `The clock of ${plainName(node)} is ${Math.abs(by) < 1 ? 'right' : `${words} of the other nodes`}.`
      return {
        object: nodeObject(node),
        level: over(Math.abs(by), seconds),
        words,
        value: by,
        sentence,
        inputs: { node },
      }
    })
    return { measures, unread }
  },
}

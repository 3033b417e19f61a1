import { plainName } from '../../homelab/format.ts'
import { readUpdates } from '../../homelab/operations/packages.ts'
import type { Check, Measure } from '../check.ts'
import { fromNodes, nodeObject, when } from '../measure.ts'
import { updateInputs } from './known.ts'

/** A node that runs an older kernel than the one installed. */
export const kernelReboot: Check = {
  id: 'kernel-reboot',
  title: 'Reboot for a kernel',
  reads: 'GET /nodes/{node}/apt/versions',
  limit: () => 'Runs an older kernel than is installed, for 7 d.',
  pace: 'sweep',
  from: ['nodes'],
  forMs: 7 * 86_400_000,
  runbooks: ['update-node'],
  async look(ports) {
    const { items, unread } = await fromNodes(ports, async ({ name }) => {
      const { runningKernel, newestKernel, missing } = await readUpdates(ports.api, name, ports.signal)
      const why = missing.find((line) => line.startsWith('versions'))
      if (why !== undefined) throw new Error(why)
      return [{ node: name, runningKernel, newestKernel }]
    })
    const measures = items.map(({ node, runningKernel, newestKernel }): Measure => {
      const object = nodeObject(node)
      const who = plainName(node)
      if (runningKernel === undefined || newestKernel === undefined)
        return { object, level: 'unseen', words: 'unknown', sentence: `Which kernel ${who} runs is not known.` }
      const isOld = runningKernel !== newestKernel
      const sentence = isOld
        ? `${who} runs kernel ${runningKernel}; ${newestKernel} is installed and waits for a reboot.`
        : `${who} runs its newest kernel.`
      const inputs = updateInputs(node, ports.state.nodes)
      return { object, level: when(isOld, 'info'), words: runningKernel, sentence, inputs }
    })
    return { measures, unread }
  },
}

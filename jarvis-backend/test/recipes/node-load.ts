import { plainName } from '../../src/homelab/format.ts'
import type { Check } from '../../src/watch/check.ts'
import { overOrUnseen } from '../../src/watch/checks/known.ts'
import { nodeObject, seen } from '../../src/watch/measure.ts'

const perCore = { look: 2, failed: 4, clear: 1.5 }

/** Processes of a node that run or wait for a core. */
export const nodeLoad: Check = {
  id: 'node-load',
  title: 'Load of a node',
  reads: 'GET /nodes/{node}/status, loadavg',
  limit: () => `${perCore.look} for each core for 10 min, failed at ${perCore.failed}, clears at ${perCore.clear}.`,
  pace: 'state',
  from: ['nodes'],
  forMs: 10 * 60_000,
  look({ state }) {
    return seen(
      state.nodes.map(({ name, load1, cpuCount }) => {
        const isKnown = typeof load1 === 'number' && typeof cpuCount === 'number'
        const load = isKnown ? load1 / cpuCount : undefined
        const words = load === undefined ? 'unknown' : `${load.toFixed(1)} for each core`
        return {
          object: nodeObject(name),
          level: overOrUnseen(load, perCore),
          words,
          value: load,
          sentence: `The load of ${plainName(name)} is ${words}.`,
          inputs: { node: name },
        }
      }),
    )
  },
}

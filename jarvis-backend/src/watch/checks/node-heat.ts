import type { Guest } from 'protocol'
import { plainName } from '../../homelab/format.ts'
import { CannotRun, type Check } from '../check.ts'
import { nodeObject, seen } from '../measure.ts'
import { overOrUnseen } from './known.ts'

const clears = 5

export const nodeHeat: Check = {
  id: 'node-heat',
  title: 'Heat of a node',
  reads: 'sensors -j',
  limit: ({ temperatureC: [look, failed] }) =>
    `Limit ${look} °C for 5 min, failed at ${failed} °C, clears at ${look - clears} °C.`,
  pace: 'state',
  from: ['nodes', 'guests'],
  forMs: 5 * 60_000,
  runbooks: ['node-hot'],
  look({ state, limits: { temperatureC } }) {
    const [look, failed] = temperatureC
    // A node without sensors has no temperature.
    const nodes = state.nodes.filter((node) => node.temperatureC !== undefined || node.status !== 'online')
    if (nodes.every((node) => node.temperatureC === null) && nodes.length > 0)
      throw new CannotRun('No sensors could be read: set up SSH to the nodes, and lm-sensors on them.')
    return seen(
      nodes.map((node) => {
        const celsius = node.status === 'online' ? node.temperatureC : undefined
        const words = typeof celsius === 'number' ? `${Math.round(celsius)} °C` : 'unknown'
        return {
          object: nodeObject(node.name),
          level: overOrUnseen(celsius, { look, failed, clear: look - clears }),
          words,
          ...(typeof celsius === 'number' && { value: celsius }),
          sentence: `${plainName(node.name)} is at ${words}.`,
          chart: { series: `node/${node.name}`, field: 'temperatureC', limit: look, clears: look - clears },
          inputs: inputsOf(node.name, state.guests),
        }
      }),
    )
  },
}

/** A guest that uses less of its own CPU than this loads no node. */
const leastLoad = 0.25

/** The node, and the running guest on it that uses most of its own CPU, for the runbook that restarts it. */
function inputsOf(node: string, guests: readonly Guest[]): { node: string; vmid?: number } {
  const [busiest] = guests
    .filter((guest) => guest.node === node && guest.status === 'running' && (guest.cpuRatio ?? 0) >= leastLoad)
    .toSorted((one, other) => (other.cpuRatio ?? 0) - (one.cpuRatio ?? 0))
  return busiest === undefined ? { node } : { node, vmid: busiest.vmid }
}

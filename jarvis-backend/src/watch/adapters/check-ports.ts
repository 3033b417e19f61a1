import { readAs, type ToolInput } from 'protocol'
import type { Gate } from '../../calls/room.ts'
import type { Drills } from '../../drill/drills.ts'
import type { Foundation } from '../../foundation.ts'
import { Mistake } from '../../gate/index.ts'
import type { ComposedHomelab } from '../../homelab/room.ts'
import type { Catalog } from '../../tools/catalog.ts'
import type { CheckPorts, SeenPool } from '../check.ts'
import type { WatchedPorts } from '../rounds.ts'

/** Longest time that the tool of a check in `checks.yaml` may take, ms. */
const askMs = 60_000
export const poolsKey = 'zfs_pools'

export type CheckPortsParts = {
  foundation: Pick<Foundation, 'settings'>
  homelab: Pick<ComposedHomelab, 'cluster' | 'homelab'>
  drills: Pick<Drills, 'proofs'>
  gate: Pick<Gate, 'changes' | 'executor'>
  samples: CheckPorts['samples']
}

/** The reads that checks may use in addition to the state of the cluster. */
export function watchedPorts({
  foundation: { settings },
  homelab: { cluster, homelab },
  drills,
  gate,
  samples,
}: CheckPortsParts): WatchedPorts {
  const seenPools = () => JSON.parse(settings.get(poolsKey) ?? '{}') as Record<string, SeenPool>
  return {
    api: homelab.api,
    pools: {
      get: (id) => seenPools()[id],
      keep: (id, pool) => settings.set(poolsKey, JSON.stringify({ ...seenPools(), [id]: pool })),
    },
    pbs: homelab.pbs,
    cluster,
    shell: homelab.shell,
    get proofs() {
      // A proof that may concern another guest proves nothing.
      const own = drills.proofs().items.filter(({ doubt }) => doubt === undefined)
      return new Map(own.map((proof) => [proof.vmid, proof]))
    },
    samples,
    async ask(toolName, toolInput) {
      const signal = AbortSignal.timeout(askMs)
      const principal = { kind: 'check', name: 'checks.yaml' }
      try {
        const { output } = await gate.executor.read({ toolName, toolInput }, { principal, signal })
        return output.isError === true ? { problem: output.summary } : { data: output.data }
      } catch (error) {
        if (!(error instanceof Mistake)) throw error
        return { problem: error.message }
      }
    },
    own(vmid, snapshot) {
      const later = gate.changes
        .later()
        .find(({ toolName, input }) => toolName === 'delete_snapshot' && input.vmid === vmid && input.name === snapshot)
      return later && { until: later.at }
    },
  }
}

/** The reason why a check cannot use a tool; undefined if it can. */
export function toolProblem(catalog: Pick<Catalog, 'get'>, name: string, input: ToolInput): string | undefined {
  const tool = catalog.get(name)
  if (tool === undefined) return 'is the name of no tool'
  if (tool.tier !== 'green') return 'changes something, and a check only reads'
  const read = readAs(tool.input, input)
  return read.ok ? undefined : `cannot be asked so: ${read.problem.replace(/\.$/, '')}`
}

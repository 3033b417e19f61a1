import type { Homelab } from 'homelab-ports/ports'
import type { Clock } from '../lib/clock.ts'
import { createTaskReasons } from './operations/task-reasons.ts'
import { withQuorum } from './quorum.ts'

/** Creates the demo's cluster. `protectedTargets`: the same setting as for a real cluster. */
export type OpenDemo = (options: { clock: Clock; protectedTargets: ReadonlySet<string> }) => Homelab

/** Loads the demo's cluster, which a build may leave out. @throws the loader's error */
export async function loadDemo(): Promise<OpenDemo> {
  const { createSimulator } = await import('fake-proxmox')
  return (options) => withOwnRules(createSimulator(options))
}

/**
 * Adds to the demo's cluster the parts that JARVIS itself adds to a real Proxmox: it refuses changes without a quorum, and adds the reasons of
 * failed tasks.
 */
export function withOwnRules<Simulated extends Homelab & { isQuorate(): boolean }>(simulated: Simulated): Simulated {
  const { api, cluster } = simulated
  const withReasons = createTaskReasons(api)
  return {
    ...simulated,
    api: { ...api, change: withQuorum(api.change, simulated.isQuorate) },
    cluster: {
      ...cluster,
      tasks: async (query, options) => withReasons(await cluster.tasks(query, options), options.signal),
    },
  }
}

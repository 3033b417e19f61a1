import type { Cluster } from '../../homelab/ports.ts'
import { PowerOutput } from '../outputs.ts'
import { defineTool } from '../tool.ts'
import { askedAnyway } from './inputs.ts'
import { changePower, forceStop, powerInput, powerTimeoutMs } from './power.ts'

export const stopVm = (cluster: Cluster) =>
  defineTool({
    name: 'stop_vm',
    title: 'Stop a virtual machine',
    description: `Shuts one virtual machine down cleanly, which may take minutes; what it serves is gone until it is started. Returns how the task ended and the state the guest is seen in afterwards. ${askedAnyway}`,
    tier: 'red',
    timeoutMs: powerTimeoutMs,
    input: powerInput(forceStop),
    output: PowerOutput,
    run: (input, context) => changePower(cluster, 'vm', 'stop', input, context),
  })

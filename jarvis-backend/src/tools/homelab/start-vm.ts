import type { Cluster } from '../../homelab/ports.ts'
import { PowerOutput } from '../outputs.ts'
import { defineTool } from '../tool.ts'
import { askedAnyway } from './inputs.ts'
import { changePower, noForce, powerInput, powerTimeoutMs } from './power.ts'

export const startVm = (cluster: Cluster) =>
  defineTool({
    name: 'start_vm',
    title: 'Start a virtual machine',
    description: `Starts one virtual machine that is off. Returns how the task ended and the state the guest is seen in afterwards. ${askedAnyway}`,
    tier: 'red',
    timeoutMs: powerTimeoutMs,
    input: powerInput(noForce),
    output: PowerOutput,
    run: (input, context) => changePower(cluster, 'vm', 'start', input, context),
  })

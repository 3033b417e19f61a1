import type { Cluster } from '../../homelab/ports.ts'
import { PowerOutput } from '../outputs.ts'
import { defineTool } from '../tool.ts'
import { askedAnyway } from './inputs.ts'
import { changePower, forceRestart, powerInput, powerTimeoutMs } from './power.ts'

export const restartVm = (cluster: Cluster) =>
  defineTool({
    name: 'restart_vm',
    title: 'Restart a virtual machine',
    description: `Reboots one running virtual machine cleanly, which may take minutes. Returns how the task ended and the state the guest is seen in afterwards. ${askedAnyway}`,
    tier: 'red',
    timeoutMs: powerTimeoutMs,
    input: powerInput(forceRestart),
    output: PowerOutput,
    run: (input, context) => changePower(cluster, 'vm', 'restart', input, context),
  })

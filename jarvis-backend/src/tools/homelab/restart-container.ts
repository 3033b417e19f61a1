import type { Cluster } from '../../homelab/ports.ts'
import { PowerOutput } from '../outputs.ts'
import { defineTool } from '../tool.ts'
import { askedAnyway } from './inputs.ts'
import { changePower, forceRestart, powerInput, powerTimeoutMs } from './power.ts'

export const restartContainer = (cluster: Cluster) =>
  defineTool({
    name: 'restart_container',
    title: 'Restart a container',
    description: `Reboots one running container cleanly. Returns how the task ended and the state the guest is seen in afterwards. ${askedAnyway}`,
    tier: 'red',
    timeoutMs: powerTimeoutMs,
    input: powerInput(forceRestart),
    output: PowerOutput,
    run: (input, context) => changePower(cluster, 'ct', 'restart', input, context),
  })

import { askedAnyway } from './inputs.ts'
import { forceRestart, powerTool } from './power.ts'

export const restartContainer = powerTool('restart', 'ct', {
  title: 'Restart a container',
  description: `Reboots one running container cleanly. ${askedAnyway}`,
  force: forceRestart,
  vmid: 104,
})

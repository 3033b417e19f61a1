import { askedAnyway } from './inputs.ts'
import { forceStop, powerTool } from './power.ts'

export const stopContainer = powerTool('stop', 'ct', {
  title: 'Stop a container',
  description: `Shuts one container down cleanly; what it serves is gone until it is started. ${askedAnyway}`,
  force: forceStop,
  vmid: 105,
})

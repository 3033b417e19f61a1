import { askedAnyway } from './inputs.ts'
import { forceStop, powerTool } from './power.ts'

export const stopVm = powerTool('stop', 'vm', {
  title: 'Stop a virtual machine',
  description: `Shuts one virtual machine down cleanly; what it serves is gone until it is started. ${askedAnyway}`,
  force: forceStop,
  vmid: 131,
})

import { askedAnyway } from './inputs.ts'
import { forceStop, powerTool } from './power.ts'

export const stopVm = powerTool('stop', 'vm', {
  title: 'Stop a virtual machine',
  description: `Shuts one virtual machine down cleanly, which may take minutes; what it serves is gone until it is started. Returns the state it is seen in afterwards. ${askedAnyway}`,
  force: forceStop,
  vmid: 131,
})

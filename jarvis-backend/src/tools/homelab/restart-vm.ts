import { askedAnyway } from './inputs.ts'
import { forceRestart, powerTool } from './power.ts'

export const restartVm = powerTool('restart', 'vm', {
  title: 'Restart a virtual machine',
  description: `Reboots one running virtual machine cleanly. ${askedAnyway}`,
  force: forceRestart,
  vmid: 123,
})

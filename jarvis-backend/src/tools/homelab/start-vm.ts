import { askedAnyway } from './inputs.ts'
import { noForce, powerTool } from './power.ts'

export const startVm = powerTool('start', 'vm', {
  title: 'Start a virtual machine',
  description: `Starts one virtual machine that is off. ${askedAnyway}`,
  force: noForce,
  vmid: 101,
})

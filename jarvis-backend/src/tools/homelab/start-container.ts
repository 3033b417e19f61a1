import { askedAnyway } from './inputs.ts'
import { noForce, powerTool } from './power.ts'

export const startContainer = powerTool('start', 'ct', {
  title: 'Start a container',
  description: `Starts one container that is off. ${askedAnyway}`,
  force: noForce,
  vmid: 104,
})

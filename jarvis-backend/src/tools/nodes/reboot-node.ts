import { nodePowerTool } from './node-power.ts'

export const rebootNode = nodePowerTool('reboot', {
  title: 'Reboot a node',
  description:
    'Reboots a node: its guests shut down first, and those that start with it start again. Waits until it is seen back.',
  undo: () => ({ kind: 'none', because: 'A reboot ends with the node running again.', losesNothing: true }),
})

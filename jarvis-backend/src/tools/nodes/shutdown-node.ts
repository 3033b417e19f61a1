import { nodePowerTool } from './node-power.ts'

export const shutdownNode = nodePowerTool('shutdown', {
  title: 'Shut a node down',
  description: 'Shuts a node and its guests down. wake_node turns it on again where Wake-on-LAN is set up.',
  undo: (node) => ({
    kind: 'call',
    toolName: 'wake_node',
    input: { node },
    sentence: `Wake-on-LAN turns ${node} on again, and guests that start with it start.`,
    loses: 'Guests that do not start with their node stay off.',
  }),
})

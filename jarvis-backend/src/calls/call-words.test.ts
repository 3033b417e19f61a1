import { expect, test } from 'vitest'
import { callWords } from './call-words.ts'

test.each([
  ['stop_vm', { vmid: 103 }, 'stop_vm 103'],
  ['get_node_status', { node: 'pve' }, 'get_node_status pve'],
  ['backup_guest', { vmid: 103, storage: 'a node=b' }, 'backup_guest 103 storage="a node=b"'],
  ['set_guest', { vmid: 103, set: { cores: 4 } }, 'set_guest 103 set={"cores":4}'],
  ['get_vms', {}, 'get_vms'],
  [
    'propose_plan',
    {
      goal: 'Start it anew.',
      steps: [
        { id: 'find', tool: 'get_vms', input: {} },
        {
          id: 'stop',
          tool: 'stop_vm',
          input: { vmid: { step: 'find', path: 'guests(name=web).vmid' } },
          check: { tool: 'get_vms', path: 'guests(name=web).status', op: '=', value: 'stopped', withinS: 60 },
        },
        { id: 'start', tool: 'start_vm', input: { vmid: 103 }, after: ['stop'], onFailure: 'skip' },
      ],
    },
    'propose_plan "Start it anew.": 1. get_vms; 2. stop_vm (guests(name=web).vmid of 1), then get_vms: guests(name=web).status = stopped within 60 s; 3. start_vm 103, skipped if it fails',
  ],
])('%s %j is told as %s', (toolName, toolInput, words) => {
  expect(callWords({ toolName, toolInput })).toBe(words)
})

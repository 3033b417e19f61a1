import { expect, test } from 'vitest'
import { parseCommand } from './command.ts'

test.each<[string, string, Record<string, unknown>]>([
  ['/get_cluster_status', 'get_cluster_status', {}],
  ['/stop_vm vmid=101', 'stop_vm', { vmid: 101 }],
  ['  /stop_vm   vmid=101  force=true ', 'stop_vm', { vmid: 101, force: true }],
  ['/execute_ssh node=pve command="df -h"', 'execute_ssh', { node: 'pve', command: 'df -h' }],
  ['/execute_ssh node=pve command="grep \\"a b\\" /x"', 'execute_ssh', { node: 'pve', command: 'grep "a b" /x' }],
  ['/execute_ssh node=pve command="grep \\. /x"', 'execute_ssh', { node: 'pve', command: 'grep \\. /x' }],
  ['/execute_ssh node=pve command=“df -h”', 'execute_ssh', { node: 'pve', command: 'df -h' }],
  ["/memory_write text=it's path='a b.md'", 'memory_write', { text: "it's", path: 'a b.md' }],
  ['/get_node_status node="123"', 'get_node_status', { node: '123' }],
  ['/get_vms limit=-1', 'get_vms', { limit: -1 }],
  ['/x set={"a": "b c} d", "n": 4} list=["p", "q"] n=1', 'x', { set: { a: 'b c} d', n: 4 }, list: ['p', 'q'], n: 1 }],
  ['/x find={a} list=[b', 'x', { find: '{a}', list: '[b' }],
])('%j calls %s', (line, toolName, toolInput) => {
  expect(parseCommand(line)).toEqual({ ok: true, toolName, toolInput })
})

test.each([
  '/etc/passwd is what?',
  'stop 101',
  'a /stop_vm vmid=101',
  '/stop_vm vmid=101\n/stop_vm vmid=102',
  '/ stop',
  '/9',
])('%j is for the model', (line) => {
  expect(parseCommand(line)).toBeUndefined()
})

test.each(['/stop_vm 101', '/x a="open', '/x a=1 a=2', '/x a="b"c', '/x =1', '/x a={} a=1', '/x a=1 a={}'])(
  '%j is said to be wrong',
  (line) => {
    expect(parseCommand(line)).toMatchObject({ ok: false })
  },
)

test('a key that every object has stays a key', () => {
  const parsed = parseCommand('/get_vms __proto__=1')
  expect(parsed?.ok && Object.keys(parsed.toolInput)).toEqual(['__proto__'])
})

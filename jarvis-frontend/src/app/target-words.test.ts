import type { ClusterState } from 'protocol'
import { expect, test } from 'vitest'
import { targetWords } from './target-words.ts'

const target = {
  kind: 'guest',
  id: 'vm/100',
  vmid: 100,
  name: 'web',
  node: 'pve',
  type: 'vm',
  status: 'running',
} as const
const guest = { vmid: 100, name: 'web', node: 'pve', status: 'running', uptimeS: 7_200, cpuRatio: 0.5, isHa: false }
const state = (change: object, node = 'online') =>
  ({ at: 0, guests: [{ ...guest, ...change }], nodes: [{ name: 'pve', status: node }] }) as unknown as ClusterState

test.each<[string, ClusterState, object]>([
  ['running', state({}), { now: 'Running for 2 h, CPU 50 %, no backup known' }],
  [
    'stopped since',
    state({ status: 'stopped' }),
    { now: 'Stopped, no backup known', change: '100 is stopped now. It was running when this was asked.' },
  ],
  [
    'on a node that is off',
    state({ status: 'unknown' }, 'offline'),
    { now: 'Not known: pve does not answer, no backup known' },
  ],
  [
    'of a state that its node does not say',
    state({ status: 'unknown' }),
    { now: 'Not known: pve does not say whether it runs, no backup known' },
  ],
  ['gone', state({ vmid: 101 }), { now: 'Not known to the cluster', change: '100 is not there any more.' }],
])('a guest that is %s', (_, now, expected) => {
  expect(targetWords(target, now)).toEqual(expected)
})

test('of a node nothing is said', () => {
  expect(targetWords({ kind: 'node', id: 'node/pve', node: 'pve' }, state({}))).toEqual({})
})

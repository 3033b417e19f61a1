import type { ClusterState } from 'protocol'
import { expect, test } from 'vitest'
import type { Effect } from '../gate/index.ts'
import { whyPowerUnknown } from './known-power.ts'

const on = (kind: Effect['kind'], vmid: number): Effect => ({
  kind,
  on: 'guest',
  action: 'stop',
  target: { kind: 'guest', id: `vm/${vmid}`, vmid },
})
const state = (status: string, node: string) =>
  ({ guests: [{ vmid: 100, status, node: 'pve' }], nodes: [{ name: 'pve', status: node }] }) as unknown as ClusterState
const lost = 'Whether 100 runs is not known: pve does not answer'

test('without a quorum no change of a guest can be approved, and where that is not known it can', () => {
  const now = (isQuorate: boolean | null) => ({ ...state('running', 'online'), isQuorate })
  expect(whyPowerUnknown([on('config', 100)], now(false))).toContain('The cluster has no quorum')
  expect(whyPowerUnknown([on('read', 100)], now(false))).toBeUndefined()
  expect(whyPowerUnknown([on('config', 100)], now(null))).toBeUndefined()
})

test.each<[string, readonly Effect[], ClusterState, string | undefined]>([
  ['a node that is off', [on('power', 100)], state('unknown', 'offline'), lost],
  ['a node of which nothing is known', [on('power', 100)], state('unknown', 'unknown'), lost],
  ['power as the second effect', [on('data', 100), on('power', 100)], state('unknown', 'offline'), lost],
  ['a node that answers', [on('power', 100)], state('unknown', 'online'), undefined],
  ['a state that is known', [on('power', 100)], state('running', 'online'), undefined],
  ['a change of settings', [on('config', 100)], state('unknown', 'offline'), undefined],
  ['a guest that is not there', [on('power', 101)], state('unknown', 'offline'), undefined],
])('whether an approval would rest on nothing: %s', (_, effects, now, expected) => {
  expect(whyPowerUnknown(effects, now)).toBe(expected)
})

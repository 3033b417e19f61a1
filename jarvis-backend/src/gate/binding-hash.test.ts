import type { Target } from 'protocol'
import { expect, test } from 'vitest'
import { bindingHash } from './binding-hash.ts'

const target: Target = {
  kind: 'guest',
  id: 'vm/101',
  name: 'web',
  node: 'pve',
  vmid: 101,
  type: 'vm',
  status: 'running',
}
const call = { toolName: 'stop_vm', input: { vmid: 101, force: false }, target }

test('a binding does not depend on the order of keys, nor on what the target is doing or called', () => {
  const hash = bindingHash(call)
  expect(hash).toMatch(/^[\da-f]{64}$/)
  expect(bindingHash({ ...call, input: { force: false, vmid: 101 } })).toBe(hash)
  expect(bindingHash({ ...call, target: { ...target, status: 'stopped', name: 'other' } })).toBe(hash)
})

test.each([
  ['tool', { ...call, toolName: 'restart_vm' }],
  ['argument', { ...call, input: { vmid: 101, force: true } }],
  ['extra argument', { ...call, input: { ...call.input, node: 'pve' } }],
  ['node', { ...call, target: { ...target, node: 'Home' } }],
  ['type', { ...call, target: { ...target, type: 'ct' as const, id: 'ct/101' } }],
  ['id', { ...call, target: { ...target, id: 'vm/102' } }],
])('another %s is another binding', (_name, other) => {
  expect(bindingHash(other)).not.toBe(bindingHash(call))
})

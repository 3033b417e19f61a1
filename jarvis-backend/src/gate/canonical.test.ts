import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Target } from '../protocol/index.ts'
import { bindingHash, canonicalJson } from './canonical.ts'

test('keys are sorted at every depth and arrays keep their order', () => {
  expect(canonicalJson({ b: [2, { d: null, c: 'é' }], a: true, A: 1.5 })).toBe(
    '{"A":1.5,"a":true,"b":[2,{"c":"é","d":null}]}',
  )
})

test('a key without a value is absent, and minus nought is nought', () => {
  expect(canonicalJson({ a: undefined, b: -0 })).toBe('{"b":0}')
})

const cycle: unknown[] = []
cycle.push(cycle)
test.each([
  ['undefined', undefined],
  ['undefined in an array', [undefined]],
  ['a hole', new Array(1)],
  ['NaN', Number.NaN],
  ['infinity', [Number.POSITIVE_INFINITY]],
  ['a big integer', 1n],
  ['a function', { a: () => 1 }],
  ['a symbol', Symbol('x')],
  ['a date', new Date(0)],
  ['a map', new Map()],
  ['a cycle', cycle],
])('%s is not JSON', (_name, value) => {
  expect(() => canonicalJson(value)).toThrow(TypeError)
})

test('what it writes is JSON of the same value, and writing it again changes nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(JSON.parse(text))).toBe(text)
    }),
  )
})

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

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, hashOf } from './canonical.ts'

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

test('a hash is the same in every release: stored approvals and grants are found by theirs', () => {
  const value = { b: [1, 'é', null], a: { '9': true, '10': -0 }, none: undefined }
  expect(hashOf(value)).toBe('05f506843f244b822945702d05e52305b24df806e51666c1e272f5b3c17ac56f')
})

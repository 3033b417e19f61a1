import { expect, test } from 'vitest'
import { inParts, worst } from './ring.tsx'

test('each node has its arc, more than twelve share four that hold them all in order', () => {
  expect(inParts(['a', 'b'])).toEqual([['a'], ['b']])
  const many = Array.from({ length: 50 }, (_, at) => at)
  const parts = inParts(many)
  expect(parts.map((part) => part.length)).toEqual([12, 13, 12, 13])
  expect(parts.flat()).toEqual(many)
  expect(worst(['well', 'warn', 'away'])).toBe('warn')
})

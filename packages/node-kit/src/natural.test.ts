import { expect, test } from 'vitest'
import { byNatural } from './natural.ts'

test.each([
  [
    ['node10', 'node2', 'node1'],
    ['node1', 'node2', 'node10'],
  ],
  [
    ['pve', 'Home', 'agent1', 'agent'],
    ['agent', 'agent1', 'Home', 'pve'],
  ],
  [
    ['a', 'A', 'a'],
    ['A', 'a', 'a'],
  ],
  [
    ['n1-b10', 'n1-b9', 'n01-b9'],
    ['n01-b9', 'n1-b9', 'n1-b10'],
  ],
])('%j in their order', (names, sorted) => {
  expect(names.toSorted(byNatural)).toEqual(sorted)
  expect(names.toReversed().toSorted(byNatural)).toEqual(sorted)
})

import type { Card } from 'protocol'
import { expect, test } from 'vitest'
import { capitalized } from './first-letter.ts'

test.each([
  ['running for 8 d', 'Running for 8 d'],
  ['agent is online for 3 min', 'agent is online for 3 min'],
  ['corosync is active; pve is online', 'corosync is active; pve is online'],
  ['', ''],
])('a fact of a card begins with a capital, and no name is changed: %s', (text, shown) => {
  const target = { kind: 'service', id: 'service/x', node: 'agent', name: 'corosync' } as unknown as Card['target']
  expect(capitalized(text, target)).toBe(shown)
})

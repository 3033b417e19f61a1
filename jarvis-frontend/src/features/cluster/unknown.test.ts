import type { Node } from 'protocol'
import { expect, test } from 'vitest'
import { onlineWords, unreadLines } from './unknown.ts'

const nodes = (...statuses: Node['status'][]) => statuses.map((status, at) => ({ name: `pve${at}`, status }) as Node)

test.each([
  ['unknown', nodes()],
  ['unknown', nodes('unknown', 'unknown')],
  ['2 of 3', nodes('online', 'offline', 'online')],
  ['0 of 1', nodes('offline')],
  ['1 of 3, 1 unknown', nodes('online', 'unknown', 'offline')],
])('online nodes read “%s”', (words, seen) => expect(onlineWords({ nodes: seen })).toBe(words))

test('what could not be read leaves out what a node’s own line says', () => {
  const missing = ['pve1 is offline', 'storage of pve0', 'pve0 is offline']
  expect(unreadLines({ missing, nodes: nodes('online', 'offline') })).toEqual(['storage of pve0', 'pve0 is offline'])
})

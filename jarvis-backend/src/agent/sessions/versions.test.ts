import { expect, test } from 'vitest'
import { type Member, originAt, versionsIn } from './versions.ts'

/** Made in this order; the last one was changed last. */
const family = (...members: [id: string, of?: string, at?: number][]): Member[] =>
  members.map(([id, of, at], made) => ({
    id,
    createdAt: made,
    updatedAt: made,
    of,
    ...(at !== undefined && { at }),
  }))

test('a session that nobody edited has no versions', () => {
  expect(versionsIn('a', family(['a']))).toEqual([])
  expect(versionsIn('gone', family(['a']))).toEqual([])
})

// a: messages at 0, 10 and 20. b replaces 10, c replaces 10 too, d replaces a message of c at 30, e the first message.
const five = family(['a'], ['b', 'a', 10], ['c', 'a', 10], ['d', 'c', 30], ['e', 'a', 0])

test.each([
  ['a', { 0: ['a', 'e'], 10: ['a', 'b', 'd'] }],
  ['b', { 0: ['b', 'e'], 10: ['a', 'b', 'd'] }],
  ['c', { 0: ['c', 'e'], 10: ['a', 'b', 'c'], 30: ['c', 'd'] }],
  ['d', { 0: ['d', 'e'], 10: ['a', 'b', 'd'], 30: ['c', 'd'] }],
  // The newest session that begins with the other first message.
  ['e', { 0: ['d', 'e'] }],
])('the versions that are seen from %s lead to the newest session behind each', (from, expected) => {
  const found = versionsIn(from, five)
  expect(Object.fromEntries(found.map(({ entry, sessionIds }) => [entry, sessionIds]))).toEqual(expected)
  for (const { sessionIds, shown } of found) expect(sessionIds[shown]).toBe(from)
})

test.each([
  ['a', 10, 'a'],
  ['b', 10, 'a'],
  ['b', 5, 'a'],
  ['b', 11, 'b'],
  ['d', 30, 'c'],
  ['d', 20, 'c'],
  ['d', 10, 'a'],
  ['e', 0, 'a'],
])('a message of %s at %i that is edited stands beside that of %s', (from, at, origin) => {
  expect(originAt(from, at, five)).toBe(origin)
})

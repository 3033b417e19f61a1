import { expect, test } from 'vitest'
import { piecesOf, rowsBetween } from './rows.ts'

const keys = ['a', 'b', 'c', 'd', 'e']
const tall = new Map([['b', 30]])
const heightOf = (key: string) => tall.get(key) ?? 10
const shape = (from: number, to: number, pinned: string[] = []) =>
  piecesOf(keys, { from, to }, new Set(pinned), heightOf).map((piece) =>
    piece.kind === 'row' ? piece.key : piece.heightPx,
  )

test('what is not drawn leaves a gap of its height', () => {
  expect(shape(2, 4)).toEqual([40, 'c', 'd', 10])
  expect(shape(0, 5)).toEqual(keys)
})

test('a pinned row is drawn where it stands', () => {
  expect(shape(4, 5, ['a', 'c'])).toEqual(['a', 30, 'c', 10, 'e'])
})

test.each([
  ['the top', 0, 10, [0, 1]],
  ['the middle of a tall row', 25, 35, [1, 2]],
  ['over a row’s edge', 35, 45, [1, 3]],
  ['past the end', 500, 600, [4, 5]],
  ['above the start', -50, -10, [0, 1]],
])('rows are found at %s', (_name, top, bottom, [from, to]) => {
  expect(rowsBetween(keys, top, bottom, heightOf)).toEqual({ from, to })
})

import { expect, test } from 'vitest'
import { piecesOf, Rows } from './rows.ts'

const keys = ['a', 'b', 'c', 'd', 'e']
const tall = new Map([['b', 30]])
const rows = new Rows(keys, (key) => tall.get(key) ?? 10)
const shape = (from: number, to: number, pinned: string[] = []) =>
  piecesOf(keys, { from, to }, new Set(pinned)).map((piece) =>
    piece.kind === 'row' ? piece.key : rows.heightPx(piece),
  )

test('what is not drawn leaves a gap of its height', () => {
  expect(shape(2, 4)).toEqual([40, 'c', 'd', 10])
  expect(shape(0, 5)).toEqual(keys)
})

test('a pinned row is drawn where it stands', () => {
  expect(shape(4, 5, ['a', 'c'])).toEqual(['a', 30, 'c', 10, 'e'])
})

test.each([
  ['a row at the top of the screen', 2, 0, 0, 20, [2, 4]],
  ['a tall row whose top is above it', 1, -20, 0, 20, [1, 3]],
  ['a row below what is wanted', 4, 50, 0, 10, [1, 5]],
  ['rows on both sides', 2, 0, -35, 15, [0, 4]],
  ['a row above what is wanted', 0, -500, 0, 10, [0, 5]],
])('rows are counted from %s', (_name, at, topPx, abovePx, belowPx, [from, to]) => {
  expect(rows.around({ at, topPx }, { abovePx, belowPx })).toEqual({ from, to })
})

test.each([
  ['its start', 0, { at: 0, belowPx: 0 }],
  ['the middle of a tall row', 0.5, { at: 1, belowPx: 25 }],
  ['its end', 1, { at: 4, belowPx: 10 }],
])('a place in a gap is a place in a row: %s', (_name, ratio, place) => {
  expect(rows.rowAt({ from: 0, to: 5 }, ratio)).toEqual(place)
})

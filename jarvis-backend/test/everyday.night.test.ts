import { expect, test } from 'vitest'
import { readHouses } from '../dojo/everyday/conversation.ts'
import { beyondGoals, countedRows, faultOf, figuresOf, lineOf, type Played } from '../dojo/everyday/measure.ts'
import { playHouse, problemsOf } from './support/everyday-house.ts'

/** All houses so far. */
const played: Played[] = []

test.each(readHouses())(
  'in the house $name nothing is refused wrongly and nothing runs without its card',
  async (house) => {
    const all = await playHouse(house)
    played.push(...all)
    expect(problemsOf(all)).toEqual([])
  },
)

test('all figures are within their goals', () => {
  const rows = countedRows(played)
  const needless = rows.filter((one) => faultOf(one) === 'needless card').map(lineOf)
  expect(beyondGoals(figuresOf(rows)), needless.join('\n')).toEqual([])
})

test('what is marked as a gap is still one', () => {
  const mended = played.filter(({ gap, rows }) => gap !== undefined && rows.every((one) => faultOf(one) === undefined))
  expect(mended.map(({ id }) => id)).toEqual([])
})

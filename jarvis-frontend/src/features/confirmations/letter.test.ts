import { expect, test } from 'vitest'
import { letterAfter, noLetter } from './letter.ts'

/** Types letters, each with the pause before it, ms. @returns whether the last one is part of a word */
const isWord = (...typed: [key: string, pauseMs: number][]) => {
  let timeStamp = 10_000
  let letter = noLetter
  for (const [key, pauseMs] of typed) {
    timeStamp += pauseMs
    letter = letterAfter(letter, { key, timeStamp })
  }
  return letter.isWord
}

test.each<[name: string, typed: [key: string, pauseMs: number][], isPart: boolean]>([
  ['a letter alone', [['a', 0]], false],
  [
    'a letter soon after another',
    [
      ['d', 0],
      ['a', 100],
    ],
    true,
  ],
  [
    'a letter long after another',
    [
      ['d', 0],
      ['a', 700],
    ],
    false,
  ],
  [
    'a key that is held',
    [
      ['a', 0],
      ['a', 30],
      ['a', 30],
    ],
    false,
  ],
  [
    'a doubled letter within a word',
    [
      ['b', 0],
      ['o', 100],
      ['o', 100],
    ],
    true,
  ],
  [
    'the first letter after a word and a pause',
    [
      ['n', 0],
      ['o', 100],
      ['a', 900],
    ],
    false,
  ],
])('%s', (_name, typed, isPart) => {
  expect(isWord(...typed)).toBe(isPart)
})

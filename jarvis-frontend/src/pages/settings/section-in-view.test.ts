import { expect, test } from 'vitest'
import { sectionAt } from './section-in-view.ts'

test.each([
  ['at the top', [0, 900, 1500], false, 0],
  ['once the next one is in the upper third', [-700, 200, 800], false, 1],
  ['while it is below that', [-500, 400, 1000], false, 0],
  ['at the end, where the last ones are short', [-900, -100, 500], true, 2],
  ['above the first one, by an overscroll', [400, 1300, 1900], false, 0],
])('the section that is read %s', (_, tops, isAtEnd, expected) => {
  expect(sectionAt(tops, 900, isAtEnd)).toBe(expected)
})

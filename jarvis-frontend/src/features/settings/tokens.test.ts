import { expect, test } from 'vitest'
import { daysLeft } from './tokens.tsx'

const day = 86_400_000

test.each([
  // The browser's clock a little behind the server's, and a little before it.
  [90 * day + 40_000, '90 d'],
  [90 * day - 40_000, '90 d'],
  [1.5 * day, '36 h'],
  [day + 40_000, '24 h'],
  [5 * 60_000, '5 min'],
])('%i ms are left as %s', (ms, words) => {
  expect(daysLeft(ms)).toBe(words)
})

import { expect, test } from 'vitest'
import { timeOfDay } from './time-of-day.ts'

test.each([
  [0, 0, '00:00'],
  [9, 5, '09:05'],
  [23, 59, '23:59'],
])('%i h %i min is %s', (hours, minutes, said) => {
  expect(timeOfDay(new Date(2026, 0, 31, hours, minutes).getTime())).toBe(said)
})

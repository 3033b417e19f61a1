import { expect, test } from 'vitest'
import { timeOfDay, timeWithZone } from './time-of-day.ts'

test.each([
  [0, 0, '00:00'],
  [9, 5, '09:05'],
  [23, 59, '23:59'],
])('%i h %i min is %s', (hours, minutes, said) => {
  expect(timeOfDay(new Date(2026, 0, 31, hours, minutes).getTime())).toBe(said)
})

test.each([
  ['UTC', '08:05 UTC'],
  ['Europe/Berlin', '09:05 CET'],
  ['Australia/Sydney', '19:05 GMT+11'],
])('in %s a time for elsewhere is %s', (zone, said) => {
  expect(timeWithZone(Date.UTC(2026, 0, 31, 8, 5), zone)).toBe(said)
})

import { expect, test } from 'vitest'
import { dateOf, exactTime, gibOf, longSpan, shortSpan, size, sizeOf, span } from './format.ts'

const minute = 60_000
const hour = 60 * minute
const gib = 1024 ** 3

test.each([
  [40_000, '40 s', '40 s'],
  [90 * minute, '1 h', '1 h 30 min'],
  [7 * hour, '7 h', '7 h'],
  // Hours count up to two days, whoever says it.
  [31 * hour, '31 h', '31 h'],
  [47.9 * hour, '47 h', '47 h'],
  [48 * hour, '2 d', '2 d'],
  [196 * hour, '8 d', '8 d 4 h'],
  [990 * hour, '41 d', '41 d'],
])('%d ms last %s, at length %s', (ms, short, long) => {
  expect(span(ms)).toBe(short)
  expect(longSpan(ms)).toBe(long)
})

test('a date of another year says which', () => {
  const now = new Date(2026, 10, 22).getTime()
  const soon = new Date(2026, 11, 1, 9, 5).getTime()
  const next = new Date(2027, 10, 21, 9, 5).getTime()
  expect([dateOf(soon, now), exactTime(soon, now)]).toEqual(['Tue 1 Dec', 'Tue 1 Dec, 09:05'])
  expect([dateOf(next, now), exactTime(next, now)]).toEqual(['Sun 21 Nov 2027', 'Sun 21 Nov 2027, 09:05'])
})

test('where there is little room a minute is an m', () => {
  expect(shortSpan(minute)).toBe('1 m')
  expect(shortSpan(hour)).toBe('1 h')
})

test('sizes are binary, a part in the unit of its whole', () => {
  expect([412, 4_200, 1.3e6, 3 * gib].map((bytes) => size(bytes))).toEqual(['412 B', '4.1 KiB', '1.2 MiB', '3.0 GiB'])
  expect(size(170 * gib, 1_900 * gib)).toBe('0.17 TiB')
  expect(sizeOf(1_730 * gib, 1_905 * gib)).toBe('1.69 of 1.86 TiB')
  expect(sizeOf(5_222 * gib, 8_192 * gib)).toBe('5.1 of 8.0 TiB')
  expect(sizeOf(20 * gib, 100 * gib)).toBe('20.0 of 100.0 GiB')
  expect(gibOf(101.6 * gib, 126 * gib)).toBe('101.6 / 126')
})

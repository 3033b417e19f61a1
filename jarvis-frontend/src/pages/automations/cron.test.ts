import { expect, test } from 'vitest'
import { allWeek, cronOf, daysIn, pickedOf, withTime } from './cron.ts'

test.each([
  ['11 20 * * *', { every: 'week', weekdays: allWeek, times: ['20:11'] }],
  ['0 7,19 * * 1,2,3,4,5', { every: 'week', weekdays: [1, 2, 3, 4, 5], times: ['07:00', '19:00'] }],
  ['30 2 * * 7', { every: 'week', weekdays: [7], times: ['02:30'] }],
  ['5 0 1,15 * *', { every: 'month', days: [1, 15], times: ['00:05'] }],
] as const)('%s is picked, and what is picked is that line', (line, picked) => {
  expect(pickedOf(line)).toEqual(picked)
  expect(cronOf(picked)).toBe(line)
})

test.each([
  ['0 9 * * 1-5', [1, 2, 3, 4, 5]],
  ['0 9 * * mon,SUN', [1, 7]],
  ['0 9 * * 0', [7]],
  ['0 9 * * 0-6', allWeek],
  ['0 9 * * 5-7', [5, 6, 7]],
])('other forms of the same days are read: %s', (line, weekdays) => {
  expect(pickedOf(line)).toMatchObject({ weekdays })
})

test.each([
  '*/5 * * * *',
  '11 * * * *',
  '0,30 7 * * *',
  '0 9 1 * 1',
  '0 9 * 12 *',
  '0 3 * * 0#1',
  '0 3 * * mon#1',
  '0 3 L * *',
  '0 24 * * *',
  '60 3 * * *',
  '0 3 0 * *',
  '0 3 32 * *',
  '0 9 * * 8',
  '0 9 * * 5-1',
  '0 9 * * *,1',
  '0 9 * *',
  '0 9 * * * *',
  '',
  'words',
])('the picker cannot show %j, which stays a text', (line) => expect(pickedOf(line)).toBeUndefined())

test.each([
  [{ every: 'week', weekdays: [], times: ['20:11'] }, undefined],
  [{ every: 'month', days: [], times: ['20:11'] }, undefined],
  [{ every: 'week', weekdays: [1], times: [] }, undefined],
  [{ every: 'week', weekdays: [7, 1, 1], times: ['20:11', '07:11'] }, '11 7,20 * * 1,7'],
] as const)('%j is %s', (picked, line) => expect(cronOf(picked)).toBe(line))

test('every line that is picked comes back as a line with the same days and times', () => {
  for (const days of ['* * *', '* * 1-5', '* * 0,6', '1,31 * *', '5-9 * *', '* * sat'])
    for (const time of ['0 0', '59 23', '7 1-3', '5 0,12']) {
      const picked = pickedOf(`${time} ${days}`)
      expect(picked, days).toBeDefined()
      if (picked !== undefined) expect(pickedOf(cronOf(picked) ?? '')).toEqual(picked)
    }
})

test('times of one line share their minutes', () => {
  expect(withTime(['07:00', '19:00'], 1, '20:30')).toEqual(['07:30', '20:30'])
})

test.each([
  ['1, 15', [1, 15]],
  ['28', [28]],
  ['15 1', [1, 15]],
  ['', undefined],
  ['0', undefined],
  ['last', undefined],
])('days of the month in %j', (text, days) => expect(daysIn(text)).toEqual(days))

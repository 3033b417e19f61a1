import { expect, test } from 'vitest'
import { daysLeft, lineOf, overSince, usual } from './past.ts'

const minute = 60_000
const line = (values: (number | undefined)[], stepMs = minute) => ({ from: 0, stepMs, values })
/** A week of quarters of an hour, from one ratio to another. */
const week = (from: number, to: number) =>
  line(
    Array.from({ length: 672 }, (_, at) => (at % 5 === 0 ? undefined : from + ((to - from) * at) / 671)),
    15 * minute,
  )

test('days left follow the rate of the week, over gaps', () => {
  expect(daysLeft(week(0.77, 0.91))).toBeCloseTo(4.5, 1)
  expect(daysLeft(week(0.5, 0.5))).toBeUndefined()
  expect(daysLeft(week(0.6, 0.5))).toBeUndefined()
  expect(daysLeft(week(0.5, 0.505))).toBeUndefined()
  expect(daysLeft(line([0.1, 0.9]))).toBeUndefined()
  expect(daysLeft(line([]))).toBeUndefined()
})

test('since when it is over a limit, where the line has seen it begin', () => {
  expect(overSince(line([60, 82, 70, undefined, 80, 85, undefined]), 80)).toBe(4 * minute)
  expect(overSince(line([60, 79]), 80)).toBeUndefined()
  expect(overSince(line([81, 85]), 80)).toBeUndefined()
})

test('a null on the wire is a gap; what was never seen has no line', () => {
  const reply = { from: 5, stepMs: minute, items: [{ name: 'node/pve', values: { cpuRatio: [0, null, 0.5] } }] }
  expect(lineOf(reply, 'node/pve', 'cpuRatio')?.values).toEqual([0, undefined, 0.5])
  expect(lineOf(reply, 'node/pve', 'load1')).toBeUndefined()
  expect(lineOf(reply, 'node/agent', 'cpuRatio')).toBeUndefined()
  expect(usual(line([3, undefined, 1, 2]))).toBe(2)
})

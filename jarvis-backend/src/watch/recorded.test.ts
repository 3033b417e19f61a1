import { expect, test } from 'vitest'
import { recordedSince } from './recorded.ts'

const minuteMs = 60_000
const now = 1_000 * minuteMs
const forMs = 5 * minuteMs
const chart = { series: 'node/pve', field: 'temperatureC', limit: 80 }
const since = (values: readonly (number | undefined)[], more = {}) => {
  const found = recordedSince({ chart, ...more }, { forMs, now }, () => values)
  return found === undefined ? undefined : (now - found) / minuteMs
}

test.each([
  ['nothing recorded', [], undefined],
  ['the newest is under the limit', [90, 90, 79], undefined],
  ['over it for four minutes', [70, 81, 82, 83, 80], 3],
  ['two minutes are missing', [81, undefined, undefined, 82], 3],
  ['three minutes are missing', [81, undefined, undefined, undefined, 82], 0],
  ['the newest minutes are missing', [81, 82, undefined, undefined, undefined], undefined],
])('%s', (_name, values, minutes) => {
  expect(since(values)).toBe(minutes)
})

test('of what is worse the lower it is, the samples under the limit count', () => {
  expect(since([90, 70, 80, 79], { isLowBad: true })).toBe(2)
})

test('what fires at once, and what has no figure, asks for no sample', () => {
  const samples = () => {
    throw new Error('asked')
  }
  expect(recordedSince({ chart }, { forMs: 0, now }, samples)).toBeUndefined()
  expect(recordedSince({}, { forMs, now }, samples)).toBeUndefined()
})

import { expect, test } from 'vitest'
import { createSteadyClock } from './steady-clock.ts'

test('a clock that is set back stands still until somebody follows it, and says which time was reached', () => {
  let [wall, monotonic] = [100_000, 0]
  const clock = createSteadyClock({ now: () => wall, after: () => () => {} }, () => monotonic)
  wall = 200_000
  expect([clock.now(), clock.reached()]).toEqual([200_000, undefined])
  wall = 196_000
  expect([clock.now(), clock.reached()]).toEqual([200_000, undefined])
  wall = 50_000
  monotonic = 7_000
  expect([clock.now(), clock.reached()]).toEqual([200_000, 207_000])
  clock.follow()
  expect([clock.now(), clock.reached()]).toEqual([50_000, undefined])
})

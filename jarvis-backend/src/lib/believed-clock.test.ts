import { expect, test } from 'vitest'
import { createBelievedClock } from './believed-clock.ts'

const dayMs = 86_400_000
const yearMs = 365 * dayMs

function start(newest: number | undefined = undefined) {
  const time = { wall: 10 * yearMs, monotonic: 0 }
  const pass = (ms: number) => {
    time.wall += ms
    time.monotonic += ms
  }
  const clock = createBelievedClock({ now: () => time.wall, monotonic: () => time.monotonic, newest })
  return { clock, time, pass }
}

test('a leap of nine years is not believed, and the clock set back leaves nothing of it', () => {
  const { clock, time, pass } = start()
  time.wall += 9 * yearMs
  pass(1_000)
  expect([clock.now(), clock.leapt()]).toEqual([
    10 * yearMs + 1_000,
    { from: 10 * yearMs + 1_000, to: 19 * yearMs + 1_000 },
  ])
  time.wall -= 9 * yearMs
  expect([clock.now(), clock.leapt()]).toEqual([10 * yearMs + 1_000, undefined])
})

test('a leap that stands for a day of the process is believed', () => {
  const { clock, time, pass } = start()
  time.wall += 9 * yearMs
  expect(clock.leapt()).toBeDefined()
  pass(dayMs)
  expect([clock.now(), clock.leapt()]).toEqual([19 * yearMs + dayMs, undefined])
})

test('a process that starts years after the newest time does not believe its clock; weeks of sleep it does', () => {
  const { clock } = start(8 * yearMs)
  expect(clock.now()).toBe(8 * yearMs)
  const { clock: other, time } = start(10 * yearMs - 20 * dayMs)
  expect(other.now()).toBe(10 * yearMs)
  time.wall += 20 * dayMs
  expect([other.now(), other.leapt()]).toEqual([10 * yearMs + 20 * dayMs, undefined])
})

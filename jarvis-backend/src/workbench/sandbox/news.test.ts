import { expect, test } from 'vitest'
import { News } from './news.ts'

/** News over a clock that is moved by hand. */
function start() {
  let now = 1_000
  let told = 0
  let due: { at: number; run: () => void } | undefined
  const clock = {
    now: () => now,
    after(ms: number, run: () => void) {
      due = { at: now + ms, run }
      return () => {
        due = undefined
      }
    },
  }
  const skip = (ms: number) => {
    now += ms
    const { at, run } = due ?? { at: Number.POSITIVE_INFINITY, run: () => undefined }
    if (at > now) return
    due = undefined
    run()
  }
  return { news: new News(clock, () => (told += 1)), skip, told: () => told }
}

test('what nobody looks at tells nothing', () => {
  const { news, skip, told } = start()
  news.changed('ses_a')
  news.looked('ses_b')
  news.changed('ses_a')
  skip(10_000)
  expect(told()).toBe(0)
})

test('each look is answered by one event, and events are at least 400 ms apart', () => {
  const { news, skip, told } = start()
  news.looked('ses_a')
  for (let i = 0; i < 100; i += 1) news.changed('ses_a')
  skip(0)
  expect(told()).toBe(1)
  news.looked('ses_a')
  news.changed('ses_a')
  skip(399)
  expect(told()).toBe(1)
  skip(1)
  expect(told()).toBe(2)
  news.changed('ses_a')
  skip(10_000)
  expect(told()).toBe(2)
})

test('sessions share an event, and an end takes it back', () => {
  const { news, skip, told } = start()
  for (const id of ['ses_a', 'ses_b']) news.looked(id)
  for (const id of ['ses_a', 'ses_b']) news.changed(id)
  skip(0)
  expect(told()).toBe(1)
  news.looked('ses_a')
  news.changed('ses_a')
  news.stop()
  skip(10_000)
  expect(told()).toBe(1)
})

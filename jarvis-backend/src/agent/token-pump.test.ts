import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTokenPump } from './token-pump.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function opened() {
  const sent: string[] = []
  const pump = createTokenPump(8)
  const stream = pump((kind, text) => sent.push(`${kind}: ${text}`))
  return { sent, pump, stream }
}

test('the first delta goes out at once, those of the next 8 ms together', () => {
  const { sent, stream } = opened()
  for (const delta of ['a', 'b', 'c']) stream.push('text', delta)
  expect(sent).toEqual(['text: a'])
  vi.advanceTimersByTime(8)
  expect(sent).toEqual(['text: a', 'text: bc'])
})

test('what grows faster than anybody reads goes out every other frame', () => {
  const { sent, stream } = opened()
  stream.push('text', 'a')
  const fast = 'x'.repeat(33)
  for (let frame = 0; frame < 4; frame++) {
    stream.push('text', fast)
    vi.advanceTimersByTime(8)
  }
  stream.push('text', 'slow')
  vi.advanceTimersByTime(8)
  expect(sent).toEqual(['text: a', `text: ${fast}${fast}`, `text: ${fast}${fast}`, 'text: slow'])
})

test('deltas that come slower than that are never held back', () => {
  const { sent, stream } = opened()
  for (const delta of ['a', 'b', 'c']) {
    stream.push('text', delta)
    vi.advanceTimersByTime(20)
  }
  expect(sent).toEqual(['text: a', 'text: b', 'text: c'])
  expect(vi.getTimerCount()).toBe(0)
})

test('thinking and text keep their order and never share a frame', () => {
  const { sent, stream } = opened()
  stream.push('thinking', 'hm')
  stream.push('thinking', ', so')
  stream.push('text', 'Well')
  stream.push('text', ', sir')
  stream.flush()
  expect(sent).toEqual(['thinking: hm', 'thinking: , so', 'text: Well, sir'])
})

test('two answers share the timer and not their text', () => {
  const { sent, pump, stream } = opened()
  const other: string[] = []
  const second = pump((_kind, text) => other.push(text))
  stream.push('text', 'a')
  second.push('text', '1')
  stream.push('text', 'b')
  second.push('text', '2')
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(8)
  expect([sent, other]).toEqual([
    ['text: a', 'text: b'],
    ['1', '2'],
  ])
})

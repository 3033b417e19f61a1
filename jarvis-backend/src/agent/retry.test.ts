import { expect, test } from 'vitest'
import type { Clock } from '../lib/clock.ts'
import { type Model, ModelError, type ModelErrorCode, type ModelSink, type Turn } from './model.ts'
import { generateWithRetries, type RetryOptions } from './retry.ts'

const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 }
const turn: Turn = { content: [{ type: 'text', text: 'Yes' }], stopReason: 'end_turn', usage }
const request = { system: '', messages: [], tools: [], mayCallTools: true }

const error = (
  code: ModelErrorCode,
  part: { isRetryable?: boolean; retryAfterMs?: number; usage?: typeof usage } = {},
) => new ModelError(code, 'Trouble.', { isRetryable: true, ...part })

/** Fails with these, one after the other, then answers. */
function failing(...steps: (Error | ((sink: ModelSink) => Error))[]) {
  let attempts = 0
  const model: Model = {
    id: 'test/model',
    generate: async (_, sink) => {
      const step = steps[attempts++]
      if (step === undefined) return turn
      throw step instanceof Error ? step : step(sink)
    },
  }
  return { model, attempts: () => attempts }
}

/** Every wait is over at once, and noted. */
function instant() {
  const waits: number[] = []
  const clock: Clock = {
    now: () => 0,
    after(ms, run) {
      waits.push(ms)
      queueMicrotask(run)
      return () => {}
    },
  }
  return { waits, clock }
}

async function run(model: Model, part: Partial<RetryOptions> = {}, signal = new AbortController().signal) {
  const { clock, waits } = instant()
  const notices: { message: string; retryInMs: number }[] = []
  const said: string[] = []
  const sink = { text: (text: string) => void said.push(text), thinking: () => {} }
  const onRetry = (notice: { message: string; retryInMs: number }) => void notices.push(notice)
  const options = { clock, random: () => 1, onRetry, ...part }
  const outcome = await generateWithRetries(model, { request, sink, signal }, options).catch((reason) => reason)
  return { outcome, waits, notices, said }
}

test('a reply at the first attempt is passed on as it is', async () => {
  const { outcome, waits, notices } = await run(failing().model)
  expect(outcome).toBe(turn)
  expect(waits).toEqual([])
  expect(notices).toEqual([])
})

test('waits twice as long each time, up to five attempts', async () => {
  const last = error('model_overloaded')
  const { model, attempts } = failing(...Array.from({ length: 5 }, () => last), last)
  const { outcome, waits } = await run(model)
  expect(attempts()).toBe(5)
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000])
  expect(outcome).toMatchObject({ code: 'model_overloaded', message: 'Trouble.' })
})

test('never waits longer than 30 s, and jitters by half', async () => {
  const failures = Array.from({ length: 8 }, () => error('model_unreachable'))
  expect((await run(failing(...failures).model, { maxAttempts: 9 })).waits.slice(-3)).toEqual([30_000, 30_000, 30_000])
  expect((await run(failing(...failures).model, { random: () => 0 })).waits).toEqual([500, 1_000, 2_000, 4_000])
})

test('says in words what is going on', async () => {
  const { notices } = await run(failing(error('model_overloaded', { retryAfterMs: 4_000 })).model)
  expect(notices).toEqual([
    { message: 'The model is overloaded. Trying again in 4 s (attempt 2 of 5).', retryInMs: 4_000 },
  ])
})

test('waits as long as the provider asks, unless that is over two minutes', async () => {
  expect((await run(failing(error('model_rate_limited', { retryAfterMs: 120_000 })).model)).waits).toEqual([120_000])
  const { outcome, waits } = await run(failing(error('model_rate_limited', { retryAfterMs: 120_001 })).model)
  expect(waits).toEqual([])
  expect(outcome).toMatchObject({ message: 'Trouble. It asks to be left alone for 3 min.' })
  const absurd = await run(failing(error('model_rate_limited', { retryAfterMs: 1e33 })).model)
  expect(absurd.outcome).toMatchObject({ message: 'Trouble. It asks to be left alone for a day or more.' })
})

test('a retry-after of nothing does not hammer', async () => {
  expect((await run(failing(error('model_rate_limited', { retryAfterMs: 0 })).model)).waits).toEqual([1_000])
})

const after = (_said: unknown) => error('model_stream_broken')

test.each<[string, Parameters<typeof failing>[0]]>([
  ['an error that will stay', error('model_auth', { isRetryable: false })],
  ['an error of our own', new TypeError('bug')],
  ['an answer that had begun', (sink) => after(sink.text('Half'))],
  ['thinking that had begun', (sink) => after(sink.thinking('Hm'))],
])('does not try again after %s', async (_, failure) => {
  const { model, attempts } = failing(failure)
  const { outcome } = await run(model)
  expect(attempts()).toBe(1)
  expect(outcome).toBeInstanceOf(Error)
})

test('failed attempts are counted into the usage, of a turn and of an error', async () => {
  const costly = error('model_stream_broken', { usage })
  const twice = { inputTokens: 2, outputTokens: 4, cacheReadTokens: 6, cacheWriteTokens: 8 }
  expect((await run(failing(costly, error('model_timeout')).model)).outcome.usage).toEqual(twice)
  const { outcome } = await run(failing(costly, error('model_auth', { isRetryable: false, usage })).model)
  expect(outcome).toMatchObject({ code: 'model_auth', usage: twice })
})

test('an abort while waiting ends it at once', async () => {
  const controller = new AbortController()
  const clock: Clock = { now: () => 0, after: () => () => {} }
  const onRetry = () => queueMicrotask(() => controller.abort('enough'))
  const { model, attempts } = failing(error('model_overloaded'))
  const { outcome } = await run(model, { clock, onRetry }, controller.signal)
  expect(outcome).toBe('enough')
  expect(attempts()).toBe(1)
})

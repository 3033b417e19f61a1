import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noUsage, type Usage } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { shippedPrices } from './price-table.ts'
import { createPrices } from './prices.ts'

function pricesOf(file: string | undefined, isOwnService = true) {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'prices.json')
  if (file !== undefined) writeFileSync(path, file)
  const announced: string[] = []
  const prices = createPrices(path, {
    pricedAs: (id) => (isOwnService ? id : undefined),
    announce: (text) => announced.push(text),
  })
  return { ...prices, path, announced }
}
const million: Usage = { inputTokens: 1e6, outputTokens: 1e6, cacheReadTokens: 1e6, cacheWriteTokens: 1e6 }

test.each<[why: string, model: string, usage: Usage, usd: number | undefined]>([
  ['every kind of token has its price', 'anthropic/claude-sonnet-5-5', million, 2 + 10 + 0.1 + 2.5],
  ['a dated name is the same model', 'anthropic/claude-haiku-4-5-20251001', { ...noUsage, outputTokens: 1e6 }, 5],
  ['dates are written in two ways', 'openai/gpt-4o-2024-08-06', { ...noUsage, inputTokens: 2e6 }, 5],
  ['writing into the cache costs nothing at OpenAI', 'openai/gpt-5.2', { ...noUsage, cacheWriteTokens: 1e6 }, 0],
  ['a short prompt of it is cheap', 'anthropic/claude-haiku-5-5', { ...noUsage, inputTokens: 100_000 }, 0.01],
  [
    'a long one is not, cache and all',
    'anthropic/claude-haiku-5-5',
    { ...noUsage, inputTokens: 60_000, cacheReadTokens: 40_001, outputTokens: 1e6 },
    0.03 + 0.05 * 0.040001 + 2.5,
  ],
  ['an unknown model has no price', 'anthropic/claude-next', million, undefined],
  ['nor has the demo', 'demo', million, undefined],
  ['nor a name that every object has', 'constructor', million, undefined],
])('%s', (_why, model, usage, usd) => {
  const cost = pricesOf(undefined).costOf(model, usage)
  if (usd === undefined) expect(cost).toBeUndefined()
  else expect(cost).toBeCloseTo(usd, 9)
})

test('behind another address a name says nothing, unless the operator wrote a price down', () => {
  const own = JSON.stringify({ 'openai/gpt-5.2': { input: 1, output: 2 } })
  expect(pricesOf(undefined, false).costOf('openai/gpt-5.2', million)).toBeUndefined()
  expect(pricesOf(own, false).costOf('openai/gpt-5.2', million)).toBeCloseTo(3)
  expect(pricesOf(own).costOf('openai/gpt-5.2', million)).toBeCloseTo(3)
})

test('a file that cannot be used is said once, and the prices before stay', () => {
  const prices = pricesOf(JSON.stringify({ mine: { input: 1, output: 1 } }))
  for (const text of ['{', '{', JSON.stringify({ mine: { input: -1, output: 1 } })]) {
    writeFileSync(prices.path, text)
    prices.reload()
    expect(prices.costOf('mine', { ...noUsage, inputTokens: 1e6 })).toBe(1)
  }
  expect(prices.announced).toEqual([
    'prices.json is not used: it is not JSON.',
    expect.stringMatching(/^prices\.json is not used: mine\.input: /),
  ])
  rmSync(prices.path)
  prices.reload()
  expect(prices.costOf('mine', million)).toBeUndefined()
})

test('no shipped price is nothing, and none is dearer out of the cache than without', () => {
  for (const [model, { input, output, cacheRead }] of Object.entries(shippedPrices)) {
    expect(input, model).toBeGreaterThan(0)
    if (!model.includes('embedding')) expect(output, model).toBeGreaterThan(input)
    expect(cacheRead, model).toBeLessThan(input)
  }
})

import { expect, test } from 'vitest'
import { thinkingFields, thinkingMode } from './thinking.ts'

test.each([
  ['claude-sonnet-5-5', 'adaptive'],
  ['claude-fable-5-2', 'adaptive'],
  ['claude-opus-4-8', 'adaptive'],
  ['claude-opus-4-6', 'adaptive'],
  ['claude-something-new', 'adaptive'],
  ['claude-opus-4-5-20251101', 'budget'],
  ['claude-haiku-4-5', 'budget'],
  ['claude-sonnet-4-20250514', 'budget'],
  ['claude-3-7-sonnet-latest', 'budget'],
  ['claude-3-5-haiku-latest', 'none'],
])('%s thinks in the mode %s', (model, mode) => {
  expect(thinkingMode(model)).toBe(mode)
})

test('thinking leaves the answer its room', () => {
  expect(thinkingFields('adaptive', 'high', { maxTokens: 4_096 })).toEqual({
    max_tokens: 20_480,
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: 'high' },
  })
  expect(thinkingFields('budget', 'low', { maxTokens: 4_096 })).toEqual({
    max_tokens: 6_144,
    thinking: { type: 'enabled', budget_tokens: 2_048 },
  })
  expect(thinkingFields('budget', 'high', { maxTokens: 64_000 })).toMatchObject({
    max_tokens: 64_000,
    thinking: { budget_tokens: 16_384 },
  })
})

test('nothing is asked of a model that cannot think, or of which nothing is said', () => {
  expect(thinkingFields('none', 'high', { maxTokens: 100 })).toEqual({ max_tokens: 100 })
  expect(thinkingFields('adaptive', undefined, { maxTokens: 100 })).toEqual({ max_tokens: 100 })
  expect(thinkingFields('budget', 'off', { maxTokens: 100 })).toEqual({ max_tokens: 100 })
  expect(thinkingFields('adaptive', 'off', { maxTokens: 100 })).toEqual({
    max_tokens: 100,
    thinking: { type: 'disabled' },
  })
})

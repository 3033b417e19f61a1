import { expect, test } from 'vitest'
import { mostTimes, shippedTools, tokensBefore, tokensOf } from '../bench/tool-tokens.ts'

test('the descriptions of all tools cost at most 2.2 times the tokens of the first twenty-one', () => {
  expect(tokensOf(shippedTools) / tokensBefore).toBeLessThanOrEqual(mostTimes)
})

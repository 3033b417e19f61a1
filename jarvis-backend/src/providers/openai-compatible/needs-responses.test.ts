import { expect, test } from 'vitest'
import { needsResponses } from './api.ts'

test.each([
  ['gpt-5.4', undefined, true],
  ['gpt-5.4-mini', 'https://api.openai.com/v1', true],
  ['gpt-5.10', undefined, true],
  ['gpt-6', undefined, true],
  ['gpt-5.2', undefined, false],
  ['gpt-5', undefined, false],
  ['gpt-4o', undefined, false],
  ['o3', undefined, false],
  ['gpt-5.4', 'http://127.0.0.1:8080/v1', false],
])(
  'OpenAI’s newest models answer over the Responses API, others as their kind says: %s at %s',
  (model, baseUrl, isSo) => {
    expect(needsResponses({ model, baseUrl })).toBe(isSo)
  },
)

import { expect, test } from 'vitest'
import { isOnlyNames } from './placeholder.ts'

test.each([
  ['$' + '{GPU_KEY}', true],
  ['$' + '{env:AWS_ACCESS_KEY_ID}:$' + '{AWS_SECRET_ACCESS_KEY}', true],
  ['Bearer $' + '{GPU_KEY}', true],
  ['sk-abc$' + '{GPU_KEY}', false],
  ['$' + '{GPU_KEY:-sk-abc}', false],
  ['Bearer', false],
])('%s holds names alone: %s', (text, is) => expect(isOnlyNames(text)).toBe(is))

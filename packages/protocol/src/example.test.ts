import { expect, test } from 'vitest'
import { example } from '../example.ts'

test('a message without text is no valid request', () => {
  expect(example()).toBe(false)
})

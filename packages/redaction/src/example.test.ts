import { expect, test } from 'vitest'
import { example } from '../example.ts'

test('the example shows no secret', () => {
  expect(example()).not.toMatch(/horse|hunter2/)
})

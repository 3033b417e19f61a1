import { expect, test } from 'vitest'
import { example } from '../example.ts'

test('the example opens what it sealed', () => {
  expect(example()).toBe('hunter2')
})

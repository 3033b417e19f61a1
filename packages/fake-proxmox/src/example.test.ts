import { expect, test } from 'vitest'
import { example } from '../example.ts'

test('the example starts a guest', async () => {
  expect(await example()).toBe('OK, running')
})

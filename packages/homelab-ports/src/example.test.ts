import { expect, test } from 'vitest'
import { example } from '../example.ts'

test('the example tells which right the token lacks', async () => {
  expect(await example()).toBe('Permission check failed (/, Sys.Audit)')
})

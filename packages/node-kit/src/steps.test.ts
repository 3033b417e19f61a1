import { expect, test } from 'vitest'
import { example } from '../example.ts'
import { atOnce } from './steps.ts'

test('work in turns and work at once give the same result', async () => {
  expect(await example()).toBe('{"total":6}')
  const three = function* () {
    yield undefined
    return 3
  }
  expect(atOnce(three())).toBe(3)
})

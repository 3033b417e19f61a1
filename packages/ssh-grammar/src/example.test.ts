import { expect, test } from 'vitest'
import { example } from '../example.ts'

test('the example reads one command and refuses two', () => {
  expect(example().map(({ verdict }) => verdict)).toEqual(['read_only', 'refused', 'refused'])
})

import { expect, test } from 'vitest'
import { example } from '../example.ts'

test('the example accepts one receipt and refuses two', () => {
  expect(example()).toEqual([undefined, 'What was signed has another person.', 'What was signed is another card.'])
})

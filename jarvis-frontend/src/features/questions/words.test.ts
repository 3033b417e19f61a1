import { expect, it } from 'vitest'
import { sendWords } from './words.ts'

it.each([
  ['no question to answer', [], 'Done'],
  ['one question', [{}], 'Send the answer'],
  ['none of two answered', [{}, { text: ' ' }], 'Send 2 answers'],
  ['one of two answered', [{}, { text: 'Sundays' }], 'Send 1 of 2 answers'],
  ['both answered', [{ chosen: [0] }, { text: 'Sundays' }], 'Send 2 answers'],
])('with %s the button says so', (_what, answers, words) => {
  expect(sendWords(answers as never)).toBe(words)
})

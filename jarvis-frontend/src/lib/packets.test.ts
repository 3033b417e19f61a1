import { expect, test } from 'vitest'
import { packets } from './packets.ts'

test.each([
  ['nothing', '', []],
  ['a whole', 'abcd', ['abcd']],
  ['plain letters', 'abcdefghi', ['abcd', 'efgh', 'i']],
  ['a pair that would be cut', 'abc🦊defg', ['abc', '🦊de', 'fg']],
  ['a pair that just fits', 'ab🦊cd', ['ab🦊', 'cd']],
  ['halves that nobody can mend', 'abc\ud83d', ['abc\ud83d']],
])('text in parts of four units: %s', (_name, text, parts) => {
  expect(packets(text, 4)).toEqual(parts)
  expect(packets(text, 4).join('')).toBe(text)
})

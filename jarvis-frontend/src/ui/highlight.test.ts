import { expect, test } from 'vitest'
import { splitAtWords } from './highlight.tsx'

test.each([
  ['the words themselves', 'Backups of pbs ran.', 'pbs backup', ['', 'Backups', ' of ', 'pbs', ' ran.']],
  ['only where a word begins', 'uprestart restart', 'restart', ['uprestart ', 'restart', '']],
  ['letters of any script', 'Über äpfel', 'äpfel', ['Über ', 'äpfel', '']],
  ['signs of a pattern are no pattern', 'a.b (x) a+b', '.* (x) [', ['a.b (x) a+b']],
  ['one letter is no word', 'a b c', 'a', ['a b c']],
])('%s', (_, text, query, parts) => {
  expect(splitAtWords(text, query)).toEqual(parts)
})

test('words that were not looked for mark nothing', () => {
  expect(splitAtWords('the UPS of the rack', 'the ups', ['the'])).toEqual(['the ', 'UPS', ' of the rack'])
})

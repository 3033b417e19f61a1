import { expect, test } from 'vitest'
import { hiddenIn } from './hidden.ts'

const code = (...points: number[]) => String.fromCodePoint(...points)

test.each([
  ['a direction mark', `pay${code(0x202e)}me`, 'U+202E'],
  ['an isolate', `a${code(0x2066)}b`, 'U+2066'],
  ['a space of no width', `a${code(0x200b)}b`, 'U+200B'],
  ['a word joiner', `a${code(0x2060)}b`, 'U+2060'],
  ['a tag', `hello${code(0xe0069)}`, 'U+E0069'],
  ['a variation selector on a letter', `a${code(0xfe01)}`, 'U+FE01'],
  ['a second selector on an emoji', `${code(0x1f600, 0xfe0f, 0xfe0f)}`, 'U+FE0F'],
  ['a selector of the supplement', `a${code(0xe0100)}`, 'U+E0100'],
  ['a joiner between Latin letters', `a${code(0x200d)}b`, 'U+200D'],
  ['a row of joiners in an emoji', `${code(0x1f468, 0x200d, 0x200d, 0x1f4bb)}`, 'U+200D'],
  ['a soft hyphen', `a${code(0xad)}b`, 'U+00AD'],
  ['a Hangul filler', code(0x3164), 'U+3164'],
  ['a blank of Braille', code(0x2800), 'U+2800'],
  ['an escape', `a${code(0x1b)}[31m`, 'U+001B'],
  ['a lone carriage return', `safe${code(13)}evil`, 'U+000D'],
  ['a line separator', `a${code(0x2028)}b`, 'U+2028'],
  ['a byte order mark inside', `a${code(0xfeff)}b`, 'U+FEFF'],
  ['half a character', 'a\ud800b', 'U+D800'],
])('%s is found', (_what, text, found) => {
  expect(hiddenIn(`line\n${text}`)[0]).toEqual({ line: 2, code: found })
})

test.each([
  ['an emoji of several', `${code(0x1f468, 0x200d, 0x1f4bb)} and ${code(0x2764, 0xfe0f)} 1${code(0xfe0f, 0x20e3)}`],
  ['Persian with its joiner', `می${code(0x200c)}خواهم`],
  ['tables, dashes and umlauts', '| a\t| – „Größe“ | → |'],
])('%s is plain text', (_what, text) => {
  expect(hiddenIn(text)).toEqual([])
})

test('as many are named as asked for', () => {
  expect(hiddenIn(code(0x200b).repeat(50), 3)).toHaveLength(3)
})

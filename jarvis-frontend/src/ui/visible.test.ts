import { expect, test } from 'vitest'
import { hidesSomething, mixesScripts, skeleton, visible, visibleLines, visibleText } from './visible.ts'

test.each([
  ['a plain name stays as it is', 'frigate', 'frigate'],
  ['single and double spaces stay', 'a b  c', 'a b  c'],
  ['letters of any script stay', 'größe 東京 сервер', 'größe 東京 сервер'],
  ['a zero-width space', 'pbs\u200b', 'pbs⟨U+200B⟩'],
  ['a zero-width joiner', 'a\u200db', 'a⟨U+200D⟩b'],
  ['a byte order mark', '\ufeffa', '⟨U+FEFF⟩a'],
  ['a right-to-left override', 'a\u202egpj', 'a⟨U+202E⟩gpj'],
  ['a bidi isolate', 'a\u2066b\u2069', 'a⟨U+2066⟩b⟨U+2069⟩'],
  ['an Arabic letter mark', 'a\u061cb', 'a⟨U+061C⟩b'],
  ['an ANSI escape', '\u001b[31mred', '⟨U+001B⟩[31mred'],
  ['a C1 control', 'a\u009bb', 'a⟨U+009B⟩b'],
  ['a NUL', 'a\u0000', 'a⟨U+0000⟩'],
  ['a line feed', 'a\nb', 'a⟨U+000A⟩b'],
  ['a tab', 'a\tb', 'a⟨U+0009⟩b'],
  ['a line separator', 'a\u2028b', 'a⟨U+2028⟩b'],
  ['a soft hyphen', 'a\u00adb', 'a⟨U+00AD⟩b'],
  ['a no-break space', 'a\u00a0b', 'a⟨U+00A0⟩b'],
  ['an ideographic space', 'a\u3000b', 'a⟨U+3000⟩b'],
  ['a tag character', 'a\u{e0041}', 'a⟨U+E0041⟩'],
  ['a variation selector', 'a\ufe0f', 'a⟨U+FE0F⟩'],
  ['a supplementary variation selector', 'a\u{e0100}', 'a⟨U+E0100⟩'],
  ['a Hangul filler', 'a\u3164b', 'a⟨U+3164⟩b'],
  ['a braille blank', 'a\u2800b', 'a⟨U+2800⟩b'],
  ['a combining grapheme joiner', 'a\u034fb', 'a⟨U+034F⟩b'],
  ['a lone surrogate', 'a\ud800', 'a⟨U+D800⟩'],
  ['a private use character', 'a\ue000', 'a⟨U+E000⟩'],
  ['a run of three spaces', 'a   b', 'a⟨U+0020 ×3⟩b'],
  ['a space at the end', 'a ', 'a⟨U+0020⟩'],
  ['the third mark on one letter', 'a\u0301\u0302\u0303', 'a\u0301\u0302⟨U+0303⟩'],
])('%s', (_name, text, shown) => {
  expect(visibleText(text)).toBe(shown)
  expect(hidesSomething(text)).toBe(text !== shown)
})

test('an empty text has no parts', () => {
  expect(visible('')).toEqual([])
})

test('lines of a text stay lines, and what they hide is shown', () => {
  expect(visibleLines('a:\r\n\t  b\u200b   c \n')).toBe('a:\r\n\t  b⟨U+200B⟩   c \n')
})

test('a word of Latin and Cyrillic letters mixes scripts, two words of one script each do not', () => {
  expect(mixesScripts('p\u0430ypal')).toBe(true)
  expect(mixesScripts('paypal сервер')).toBe(false)
  expect(mixesScripts('größe 東京server')).toBe(false)
})

test.each([['\uff50bs'], ['\u{1d429}bs'], ['pih\u0585le'], ['\u24df\u24d8hole']])(
  '%s only looks like plain letters',
  (text) => {
    expect(mixesScripts(text)).toBe(true)
  },
)

test.each([
  ['a zero-width space', 'pbs\u200b', 'pbs'],
  ['Cyrillic letters', '\u0440bs', 'pbs'],
  ['full-width letters', '\uff50bs', 'pbs'],
  ['digits for letters', 'g1tea', 'gitea'],
  ['r and n for m', 'rnail', 'mail'],
])('%s gives the same skeleton', (_name, a, b) => {
  expect(skeleton(a)).toBe(skeleton(b))
})

test('different names keep different skeletons', () => {
  expect(skeleton('gitea')).not.toBe(skeleton('grafana'))
})

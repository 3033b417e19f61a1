import { expect, test } from 'vitest'
import { printable } from './visible.ts'

const esc = '\u001b'
const text = (given: string, hasColours = false) => printable(given, { form: 'text', hasColours })

test.each([
  ['an escape sequence', `${esc}]0;title\u0007${esc}[2J`, '⟨U+001B⟩]0;title⟨U+0007⟩⟨U+001B⟩[2J'],
  ['a carriage return', 'safe\rFAKE', 'safe⟨U+000D⟩FAKE'],
  ['a bidi mark', 'a\u202eb', 'a⟨U+202E⟩b'],
  ['an escape of one character', 'a\u009b2J', 'a⟨U+009B⟩2J'],
  ['a character of two units', 'a\u{e0041}b', 'a⟨U+E0041⟩b'],
  ['a colour where there are none', `${esc}[31mred${esc}[0m`, '⟨U+001B⟩[31mred⟨U+001B⟩[0m'],
])('%s is printed as its code', (_what, given, shown) => expect(text(given)).toBe(shown))

test('lines, tabs and colours of our own stay, and no other code does', () => {
  expect(text(`a\tb\n${esc}[1mc${esc}[0m${esc}[8mhidden`, true)).toBe(`a\tb\n${esc}[1mc${esc}[0m⟨U+001B⟩[8mhidden`)
})

test('JSON means the same', () => {
  const value = { title: `a\u202e\u{e0041}\u009b${esc}` }
  const shown = printable(JSON.stringify(value, null, 2), { form: 'json', hasColours: false })
  expect(shown).toMatch(/^[ -~\n]*$/)
  expect(JSON.parse(shown)).toEqual(value)
})

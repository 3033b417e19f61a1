import { legible, legibleValue } from 'redaction/visible'
import { expect, test } from 'vitest'
import { runsOf } from './phrases.ts'

const esc = '\u001b'
test.each([
  ['colours', `${esc}[1;31mfailed${esc}[0m`, 'failed'],
  ['a cursor that moves', `ok${esc}[2Afailed`, 'ok⟨U+001B⟩[2Afailed'],
  ['a title for the terminal', `${esc}]0;root@pve\u0007x`, '⟨U+001B⟩]0;root@pve⟨U+0007⟩x'],
  ['a link', `${esc}]8;;https://evil.example${esc}\\here`, '⟨U+001B⟩]8;;https://evil.example⟨U+001B⟩\\here'],
  ['the clipboard', `${esc}]52;c;cm0gLXJm\u0007`, '⟨U+001B⟩]52;c;cm0gLXJm⟨U+0007⟩'],
  ['sequences of one character', '\u009b31m\u009d0;x\u009c', '⟨U+009B⟩31m⟨U+009D⟩0;x⟨U+009C⟩'],
  ['a device control string', `${esc}P$q"p${esc}\\`, '⟨U+001B⟩P$q"p⟨U+001B⟩\\'],
  ['backspace, bell, nul and delete', 'a\bb\u0007c\0d\u007f', 'a⟨U+0008⟩b⟨U+0007⟩c⟨U+0000⟩d⟨U+007F⟩'],
  ['line ends', 'a\r\nb\rc\u2028d\u2029e', 'a\nb\nc⟨U+2028⟩d⟨U+2029⟩e'],
  [
    'overrides of direction',
    '\u202egnp.exe\u202c \u2067x\u2069 \u200f\u061c',
    '⟨U+202E⟩gnp.exe⟨U+202C⟩ ⟨U+2067⟩x⟨U+2069⟩ ⟨U+200F⟩⟨U+061C⟩',
  ],
  ['what has no width', 're\u200bsta\u200drt\u2060\ufeff\u00ad', 're⟨U+200B⟩sta⟨U+200D⟩rt⟨U+2060⟩⟨U+FEFF⟩⟨U+00AD⟩'],
  ['tag letters', 'x\u{e0069}\u{e0067}', 'x⟨U+E0069⟩⟨U+E0067⟩'],
  ['half of a pair', 'a\ud800b', 'a⟨U+D800⟩b'],
])('%s', (_what, text, shown) => {
  expect(legible(text)).toBe(shown)
  expect(legible(shown)).toBe(shown)
})

test.each(['plain\n\ttext', 'Grüße, 日本語, עברית, العربية, ελληνικά', 'می‌خواهم', 'क्‍ष', '❤️ 👩‍👩‍👧 👍🏽 5 °C ½ → ✔︎'])(
  'what people write stays: %s',
  (text) => expect(legible(text)).toBe(text),
)

test('a value is shown in all its depth, keys included, and stays what it is', () => {
  const value = { 'a\u202e': ['x\u001b[2J', 7, null, { deep: 'y\u200b' }], b: true }
  expect(legibleValue(value)).toEqual({ 'a⟨U+202E⟩': ['x⟨U+001B⟩[2J', 7, null, { deep: 'y⟨U+200B⟩' }], b: true })
  expect(Object.getPrototypeOf(legibleValue(JSON.parse('{"__proto__": {"a": "b"}}')))).toBe(Object.prototype)
})

test('taint reads through the escapes', () => {
  expect(Array.from(runsOf(legible('re\u200bstart vaultd')))).toEqual(Array.from(runsOf('restart vaultd')))
})

import { expect, test } from 'vitest'
import { codePieces } from './code-line.tsx'
import { visibleText } from './visible.ts'

const shown = (line: string) =>
  codePieces(line)
    .map((piece, at) => (at % 2 === 1 ? piece : visibleText(piece)))
    .join('')

test.each([
  ['    ports: # here', '    ports: # here'],
  ['a      b', 'a      b'],
  ['ends with one ', 'ends with one⟨U+0020⟩'],
  ['   ', '⟨U+0020 ×3⟩'],
  [`a${' '.repeat(200)}b`, `a⟨U+0020 ×200⟩b`],
  ['  a\u202eb', '  a⟨U+202E⟩b'],
  ['\ttab', '\ttab'],
  ['a\ttab', 'a⟨U+0009⟩tab'],
  ['', ''],
])('the line %j is drawn as %j', (line, drawn) => {
  expect(shown(line)).toBe(drawn)
})

import { expect, test } from 'vitest'
import { piecesOf, replaced, wrongWord } from './highlight.ts'

test.each([
  ['---', ['dim:---']],
  ['## 1. Who loads it', ['key:## 1. Who loads it']],
  ['  tool: get_vms', ['plain:  ', 'key:tool:', 'plain: get_vms']],
  ['undo: none   # cannot be undone', ['key:undo:', 'plain: none  ', 'dim: # cannot be undone']],
  ['when: $a.b = "x#y"', ['key:when:', 'plain: $a.b = "x#y"']],
  ['A node runs hot: find the guest.', ['plain:A node runs hot: find the guest.']],
  ['', []],
])('%j is drawn as %j', (line, pieces) => {
  const drawn = piecesOf(line)
  expect(drawn.map(({ kind, text }) => `${kind}:${text}`)).toEqual(pieces)
  expect(drawn.map(({ text }) => text).join('')).toBe(line)
})

test.each([
  ['tool: restart_vn', 'restart_vm', 'restart_vn'],
  ['  until: $result.status = running', 'state', 'status'],
  ['tool: restart_vm', 'celsius', ''],
])('of %j the offered %s stands for %j', (line, nearest, wrong) => expect(wrongWord(line, nearest)).toBe(wrong))

test('a word is replaced at its place, and nothing where it does not stand', () => {
  const text = 'as: as\ntool: as'
  expect(replaced(text, { line: 1, column: 5, wrong: 'as', by: 'top' })).toBe('as: top\ntool: as')
  expect(replaced(text, { line: 2, column: undefined, wrong: 'as', by: 'top' })).toBe('as: as\ntool: top')
  expect(replaced(text, { line: 9, column: 1, wrong: 'as', by: 'top' })).toBe(text)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { edited } from './edits.ts'
import { diffLines, hunksOf } from './line-diff.ts'
import { textOf } from './text.ts'

const edit = (text: string, oldText: string, newText: string, replaceAll?: boolean) =>
  edited(Buffer.from(text), [{ oldText, newText, replaceAll }]).toString()

test.each([
  ['a\nb\nc', 'b', 'x', 'a\nx\nc'],
  ['a\r\nb\r\nc\r\n', 'b\nc', 'x\ny', 'a\r\nx\r\ny\r\nc'.replace('\r\nc', '\r\n')],
  ['a\r\nb\nc\n', 'b', 'x\ny', 'a\r\nx\ny\nc\n'],
  ['a\rb\rc', 'b', 'x\ny', 'a\rx\ry\rc'],
  ['\uFEFFa\r\nb', 'a', 'x', '\uFEFFx\r\nb'],
  ['one', 'one', '$& $1', '$& $1'],
  ['\u00e9 e\u0301', 'e\u0301', 'x', '\u00e9 x'],
])('%j: %j becomes %j', (text, oldText, newText, after) => {
  expect(edit(text, oldText, newText)).toBe(after)
})

test.each<[string, string, string, string, RegExp]>([
  ['nowhere', 'a\nb', 'c', 'x', /stands nowhere.*No line comes near/s],
  ['with another blank', 'ports:\n  - 80:80\n', 'ports:\n - 80:80', 'x', /nearest lines are:\n1 ports:\n2 {3}- 80:80/],
  ['with other quotes', 'say: "yes"', "say: 'yes'", 'x', /nearest lines are:\n1 say: "yes"/],
  ['twice', 'a\na\n', 'a', 'x', /stands 2 times in the file, in the lines 1, 2/],
  ['empty', 'a', '', 'x', /oldText is empty/],
  ['the same', 'a', 'a', 'a', /are the same/],
  ['in no text', 'a\u0000', 'a', 'x', /no text file/],
])('a text that is %s is not taken', (_, text, oldText, newText, message) => {
  expect(() => edit(text, oldText, newText)).toThrow(message)
})

test('several edits are made one after the other, or none', () => {
  const bytes = Buffer.from('a b c')
  expect(
    edited(bytes, [
      { oldText: 'a', newText: 'x' },
      { oldText: 'x b', newText: 'y' },
    ]).toString(),
  ).toBe('y c')
  expect(() =>
    edited(bytes, [
      { oldText: 'a', newText: 'x' },
      { oldText: 'a', newText: 'y' },
    ]),
  ).toThrow(/^edits\[1\]: oldText stands nowhere/)
  expect(edit('a\r\na\r\n', 'a', 'b\nc', true)).toBe('b\r\nc\r\nb\r\nc\r\n')
})

const piece = fc.constantFrom('a', 'b', 'é', '😀', ' ', '\n', '\r\n', '\r', '\uFEFF')
const text = fc.array(piece, { maxLength: 40 }).map((all) => all.join(''))

test('what no edit touches stays byte for byte', () => {
  fc.assert(
    fc.property(text, text, text, (before, after, made) => {
      const whole = `${before}§MARK§${after}`
      const result = edit(whole, '§MARK§', `§${made}§`)
      const bytes = Buffer.from(result)
      expect(bytes.subarray(0, Buffer.byteLength(before)).equals(Buffer.from(before))).toBe(true)
      expect(bytes.subarray(bytes.length - Buffer.byteLength(after)).equals(Buffer.from(after))).toBe(true)
      expect(edit(result, result.replace(/\r\n?/g, '\n').replace(/^\uFEFF/, ''), 'x')).toMatch(/^\uFEFF?x$/)
    }),
  )
})

test('bytes that are no UTF-8 are never edited, and never pass for text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), (bytes) => {
      const read = textOf(Buffer.from(bytes))
      if (read === undefined) expect(() => edited(Buffer.from(bytes), [{ oldText: 'a', newText: 'b' }])).toThrow()
      else expect(Buffer.from(bytes).toString('utf8')).not.toContain('\uFFFD\u0000')
    }),
  )
})

test('a diff holds every line of both texts in order, and its hunks say where', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 })
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after)
      expect(diff.filter(({ sign }) => sign !== '+').map((line) => line.text)).toEqual(before)
      expect(diff.filter(({ sign }) => sign !== '-').map((line) => line.text)).toEqual(after)
      for (const hunk of hunksOf(diff).filter((line) => line.startsWith('@@'))) {
        const [, from = 0, , to = 0] = (/^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(hunk) ?? []).slice(0, 4).map(Number)
        expect(from).toBeGreaterThan(0)
        expect(to).toBeGreaterThan(0)
      }
    }),
  )
  const ten = Array.from({ length: 10 }, (_, at) => `${at}`)
  expect(hunksOf(diffLines(ten, ten.with(4, 'x')))).toEqual([
    '@@ -2,7 +2,7 @@',
    ' 1',
    ' 2',
    ' 3',
    '-4',
    '+x',
    ' 5',
    ' 6',
    ' 7',
  ])
})

import { expect, test } from 'vitest'
import { createOutput, keptBytes } from './output.ts'

const small = { head: 20, tail: 30, log: 1000 }
function output(text: string | Buffer, pieces: number, kept = small) {
  const out = createOutput(kept)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += pieces) out.add(bytes.subarray(at, at + pieces))
  return out
}

test.each([1, 2, 3, 7, 1000])('characters that arrive in pieces of %i bytes stay whole', (pieces) => {
  expect(output('grün €5 🙂 ende\n', pieces).text()).toBe('grün €5 🙂 ende\n')
})

test('of a long output the first and the last lines are kept, and the rest is counted', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}\n`).join('')
  const text = output(lines, 13).text()
  const [first = '', last = ''] = text.split(/… \d+ bytes left out …/)
  const left = Number(/… (\d+) bytes/.exec(text)?.[1])
  expect(lines.startsWith(first.trimEnd())).toBe(true)
  expect(lines.endsWith(last.trimStart())).toBe(true)
  expect(left + Buffer.byteLength(first) - 1 + Buffer.byteLength(last) - 1).toBe(lines.length)
})

test('a word is never cut in two, so that a secret stays one', () => {
  const kept = { ...keptBytes, head: 8_000, tail: 8_000 }
  const secret = 'ghp_0123456789abcdefghij0123456789abcdef'
  for (let shift = 0; shift < 60; shift += 1) {
    const text = output(`${'x '.repeat(3_970)}${' '.repeat(shift)}${secret} ${'y '.repeat(40_000)}`, 4_096, kept).text()
    expect(text.includes(secret) || !/ghp|abcdef/.test(text)).toBe(true)
  }
})

test('a line without a break gives up 4 kB at each end of the gap', () => {
  const text = output('z'.repeat(1_000_000), 65_536, keptBytes).text()
  expect(text.replace(/[^z]/g, '').length).toBe(100 * 1024 - 8_192)
})

test('what is no text is shown as such and breaks nothing', () => {
  expect(output(Buffer.from([0xff, 0xfe, 0x41, 0xc3]), 1).text()).toContain('A')
})

test('the last lines are the last ones', () => {
  expect(output('a\nb\nc\nd\n', 3).lastLines(2)).toEqual(['c', 'd'])
})

test('of the log the first bytes are kept', () => {
  expect(output('x'.repeat(5_000), 999).log()).toBe('x'.repeat(1_000))
})

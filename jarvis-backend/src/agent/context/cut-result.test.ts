import { expect, test } from 'vitest'
import { cutResult, longestResult } from './cut-result.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}\n`).join('')

test('the model is given the beginning and the end of a long result, and reads on where the gap begins', () => {
  const text = numbered(4_000)
  const cut = cutResult(text, 'tu_1')
  const [, head = '', left, total, offset, tail = ''] =
    /^([\s\S]*)\n\[JARVIS cut this: (\d+) of (\d+) .* id tu_1 and offset (\d+) reads on\.\]\n([\s\S]*)$/.exec(cut) ?? []
  expect([head.length, tail.length, Number(offset), Number(total)]).toEqual([5_000, 3_000, 5_000, text.length])
  expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
  expect(head.length + Number(left) + tail.length).toBe(text.length)
})

test('a short result stays whole, and no character is cut in two', () => {
  expect(cutResult('x'.repeat(longestResult), 'tu_1')).toBe('x'.repeat(longestResult))
  const cut = cutResult('🙂'.repeat(9_000).slice(1), 'tu_1')
  expect(cut).not.toMatch(/\p{Surrogate}/u)
})

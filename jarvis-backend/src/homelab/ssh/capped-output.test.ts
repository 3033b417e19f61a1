import { expect, test } from 'vitest'
import { cappedOutput } from './capped-output.ts'

/** The same whatever the pieces it comes in. */
function capped(text: string, keepBytes: number) {
  const bytes = Buffer.from(text)
  const results = [1, 3, 7, bytes.length].map((size) => {
    const output = cappedOutput(keepBytes)
    for (let at = 0; at < bytes.length; at += size) output.add(bytes.subarray(at, at + size))
    return { leftOutBytes: output.leftOutBytes(), text: output.text() }
  })
  for (const result of results) expect(result).toEqual(results[0])
  return results[0]
}

test('what fits is kept whole', () => {
  expect(capped('0123456789', 5)).toEqual({ text: '0123456789', leftOutBytes: 0 })
  expect(capped('äöü…', 5)).toEqual({ text: 'äöü…', leftOutBytes: 0 })
})

test('of what does not fit head and tail are kept, and the rest is counted', () => {
  expect(capped(`01234${'x'.repeat(12_345)}56789`, 5)).toEqual({
    text: '01234\n… 12,345 bytes left out …\n56789',
    leftOutBytes: 12_345,
  })
})

test('a character cut in two is left out', () => {
  expect(capped('abcdä…0123456789…fghi', 5)?.text).toBe('abcd\n… 16 bytes left out …\nfghi')
  expect(capped('ab😀0123456789😀fg', 5)?.text).toBe('ab\n… 12 bytes left out …\nfg')
})

test('an endless stream takes no more memory than twice what is kept', () => {
  const output = cappedOutput(1_000)
  const chunk = Buffer.alloc(64, 'x')
  for (let count = 0; count < 100_000; count += 1) output.add(chunk)
  expect(output.text()).toContain('6,398,000 bytes left out')
})

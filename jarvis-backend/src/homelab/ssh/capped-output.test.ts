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

test('of what does not fit the lines at head and tail are kept whole, and the rest is counted', () => {
  expect(capped(`the first line\npass=hun${'x'.repeat(12_345)}ter2\nthe last line\n`, 24)).toEqual({
    text: 'the first line\n… 12,359 bytes left out …\nthe last line\n',
    leftOutBytes: 12_359,
  })
})

test('of a line that is longer than what is kept, nothing next to the cut is shown', () => {
  expect(capped(`01234567${'x'.repeat(12_345)}76543210`, 8)).toEqual({
    text: '0123\n… 12,353 bytes left out …\n3210',
    leftOutBytes: 12_353,
  })
})

test('a character cut in two is left out', () => {
  expect(capped('abcä…0123456789…äabc', 8)?.text).toBe('abc\n… 20 bytes left out …\nabc')
  expect(capped('ab😀…0123456789…😀ab', 8)?.text).toBe('ab\n… 24 bytes left out …\nab')
})

test('an endless stream takes no more memory than twice what is kept', () => {
  const output = cappedOutput(1_000)
  const chunk = Buffer.alloc(64, 'x')
  for (let count = 0; count < 100_000; count += 1) output.add(chunk)
  expect(output.text()).toContain('6,399,000 bytes left out')
})

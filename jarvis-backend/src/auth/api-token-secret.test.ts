import { expect, test } from 'vitest'
import { isMistyped, newSecret } from './api-token-secret.ts'

const secret = newSecret()
const swapped = (text: string, at: number) => text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1)

test.each([
  ['whole', secret, false],
  ['cut short', secret.slice(0, -1), true],
  ['with a character too many', `${secret}a`, true],
  ['with another first character', swapped(secret, 'jarvis_'.length), true],
  ['with another character of its checksum', swapped(secret, secret.length - 1), true],
  ['the prefix alone', 'jarvis_', true],
  ['of an older release, which has no checksum', 'jmcp_abcdEFGH12345678', false],
  ['of a person', 'eyJhbGciOiJIUzI1NiJ9.e30.x', false],
])('a secret %s', (_what, text, isWrong) => {
  expect(isMistyped(text)).toBe(isWrong)
})

test('no two secrets are the same, and each has 190 bits and a checksum of its own', () => {
  const made = Array.from({ length: 1_000 }, newSecret)
  expect(new Set(made).size).toBe(1_000)
  expect(made.filter((text) => !/^jarvis_[0-9A-Za-z]{38}$/.test(text) || isMistyped(text))).toEqual([])
})

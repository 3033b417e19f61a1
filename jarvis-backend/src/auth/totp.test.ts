import { expect, test } from 'vitest'
import { base32, codeOf, otpauthUri, stepAt, stepOf } from './totp.ts'

const seed = Buffer.from('12345678901234567890')

test.each([
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
])('at %i s the code is that of RFC 6238, appendix B', (seconds, code) => {
  expect(codeOf(seed, stepAt(seconds * 1000), 8)).toBe(code)
  expect(codeOf(seed, stepAt(seconds * 1000))).toBe(code.slice(2))
})

test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('%j in base32 is that of RFC 4648', (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded)
})

test('a code counts in its step and in the ones beside it', () => {
  const at = 1111111109_000
  const code = codeOf(seed, stepAt(at))
  const beside = [-60_000, -30_000, 0, 30_000, 60_000].map((by) => stepOf(seed, code, at + by))
  expect(beside).toEqual([undefined, stepAt(at), stepAt(at), stepAt(at), undefined])
  for (const wrong of ['', '08180', `${code}0`, '٠٨١٨٠٤', `${code.slice(0, 5)} `])
    expect(stepOf(seed, wrong, at)).toBeUndefined()
})

test('an app is told the seed, whose it is and what for', () => {
  expect(otpauthUri(seed, 'ann b')).toBe(
    'otpauth://totp/JARVIS%3Aann%20b?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=JARVIS',
  )
})

import { expect, test } from 'vitest'
import { whyUnreachable } from './unreachable.ts'

const failed = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(`connect ${code}`), { code }) })

test.each([
  ['ECONNREFUSED', 'connection refused'],
  ['ENOTFOUND', 'there is no such name'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not speak TLS there'],
  ['HPE_INVALID_CONSTANT', 'what answers there does not speak HTTP'],
  ['EODD', 'EODD'],
])('%s is told as: %s', (code, words) => {
  expect(whyUnreachable(failed(code))).toBe(words)
})

test('without a code the innermost words are the reason', () => {
  expect(whyUnreachable(new TypeError('fetch failed', { cause: new Error('bad port') }))).toBe(
    'no web client may use that port',
  )
  expect(whyUnreachable(new Error('it broke'))).toBe('it broke')
  expect(whyUnreachable('odd')).toBe('odd')
})

import { expect, test } from 'vitest'
import { refusal, sendFailure, streamFailure } from './failure.ts'

const provider = { name: 'P', host: 'api.test', keyName: 'P_KEY', urlName: 'P_URL', secrets: ['sk-1'] }

test.each([
  ['overloaded_error', 'model_overloaded', true],
  ['rate_limit_error', 'model_rate_limited', true],
  ['rate_limit_exceeded', 'model_rate_limited', true],
  ['api_error', 'model_overloaded', true],
  ['server_error', 'model_overloaded', true],
  ['timeout_error', 'model_overloaded', true],
  ['authentication_error', 'model_auth', false],
  ['permission_error', 'model_auth', false],
  ['billing_error', 'model_quota', false],
  ['insufficient_quota', 'model_quota', false],
  ['invalid_request_error', 'model_bad_request', false],
  ['not_found_error', 'model_bad_request', false],
  ['request_too_large', 'model_bad_request', false],
  ['constructor', 'model_overloaded', true],
])('an error inside a stream of type %s is %s', (type, code, isRetryable) => {
  expect(refusal(provider, { type, message: 'No.' })).toMatchObject({ code, isRetryable })
})

test.each([
  [429, { code: 'insufficient_quota' }],
  [429, { code: 'billing_hard_limit_reached' }],
  [429, { type: 'rate_limit_error', code: 'enforced_spend_limit_reached' }],
  [400, { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' }],
  [400, { type: 'invalid_request_error', message: 'You have reached your specified API usage limits.' }],
  [402, {}],
])('a spent account answers %i %j', (status, complaint) => {
  expect(refusal(provider, { status, ...complaint })).toMatchObject({ code: 'model_quota', isRetryable: false })
})

test('an ordinary rate limit is worth waiting for', () => {
  const message = "This request would exceed your organization's rate limit of 40,000 input tokens per minute."
  expect(refusal(provider, { status: 429, type: 'rate_limit_error', message })).toMatchObject({ isRetryable: true })
})

const unreachable = (code: string) =>
  Object.assign(new Error('Connection error.', { cause: Object.assign(new Error(code), { code }) }), {
    status: undefined,
    headers: undefined,
  })

test.each([
  ['ECONNREFUSED', true, 'connection refused'],
  ['ENOTFOUND', true, 'there is no such name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', false, 'its certificate is signed by no authority that this machine trusts'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', false, 'its certificate is for another name'],
])('%s is unreachable', (code, isRetryable, why) => {
  const error = sendFailure(provider, unreachable(code))
  expect(error).toMatchObject({ code: 'model_unreachable', isRetryable })
  expect(error).toMatchObject({
    message: `Cannot reach api.test: ${why}. Check that it runs, and the address (P_URL).`,
  })
})

test('what is no failure of the provider comes back as it is', () => {
  const bug = new TypeError('bug')
  expect(sendFailure(provider, bug)).toBe(bug)
  expect(streamFailure(provider, bug)).toBe(bug)
})

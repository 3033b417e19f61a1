import { expect, test } from 'vitest'
import { waitOf } from './wait.ts'

const now = Date.parse('2026-11-29T12:00:00Z')
const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37.5s' }
const failures: readonly (readonly [
  why: string,
  headers: Record<string, string>,
  body: unknown,
  said: string,
  ms: number | undefined,
])[] = [
  ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '9' }, undefined, '', 1_500],
  ['seconds', { 'retry-after': '7' }, undefined, '', 7_000],
  ['a date', { 'retry-after': 'Sun, 29 Nov 2026 12:01:00 GMT' }, undefined, '', 60_000],
  ['a date that is over', { 'retry-after': 'Sun, 29 Nov 2026 11:00:00 GMT' }, undefined, '', 0],
  ['a duration', { 'retry-after': '1m30s' }, undefined, '', 90_000],
  ['words', { 'retry-after': 'in a while' }, undefined, '', undefined],
  [
    'an empty bucket of OpenAI',
    { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' },
    undefined,
    '',
    360_000,
  ],
  [
    'a full bucket of Groq',
    { 'x-ratelimit-remaining-requests': '14370', 'x-ratelimit-reset-requests': '2m59.56s' },
    undefined,
    '',
    undefined,
  ],
  [
    'Anthropic’s time',
    { 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': '2026-11-29T12:00:20Z' },
    undefined,
    '',
    20_000,
  ],
  [
    'OpenRouter’s milliseconds',
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now + 5_000) },
    undefined,
    '',
    5_000,
  ],
  [
    'Unix seconds',
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1_000 + 5) },
    undefined,
    '',
    5_000,
  ],
  ['Google’s delay', {}, { details: [{ '@type': 'x' }, retryInfo] }, '', 37_500],
  ['Google’s delay in a list', {}, { message: '', body: [{ error: { details: [retryInfo] } }] }, '', 37_500],
  ['OpenRouter’s headers', {}, { metadata: { headers: { 'X-RateLimit-Reset': String(now + 5_000) } } }, '', 5_000],
  ['a field', {}, { metadata: { retry_after_seconds: 12 } }, '', 12_000],
  ['Groq’s words', {}, undefined, 'Limit 6000, Used 4093. Please try again in 16.25s. Need more?', 16_250],
  ['Groq’s minutes', {}, undefined, 'Please try again in 1m23.5s.', 83_500],
  ['OpenAI’s words', {}, undefined, 'Please try again in 20ms.', 20],
  ['Azure’s words', {}, undefined, 'Please retry after 59 seconds.', 59_000],
  ['Gemini’s words', {}, undefined, 'Please retry in 37.2s.', 37_200],
  ['nothing', {}, undefined, 'Slow down.', undefined],
]

test('a server’s wait is read wherever it stands', () => {
  const wrong = failures.flatMap(([why, headers, body, said, ms]) => {
    const found = waitOf({ headers: new Headers(headers), body, said }, now)
    return found === ms ? [] : [`${why}: ${found} instead of ${ms}`]
  })
  expect(wrong).toEqual([])
})

import { expect, expectTypeOf, test } from 'vitest'
import { ApiError, type Asked, type Body, createClient } from './client.ts'
import type { Alert, JobsReply } from './index.ts'

/** A client whose requests are answered by `answer`, or with `{}`. */
function client(answer: () => Response = () => new Response('{}')) {
  const asked: (Asked & { address: string })[] = []
  const fetch = async (address: string, given: Asked) => {
    asked.push({ address, ...given })
    return answer()
  }
  return { asked, ...createClient({ url: 'http://jarvis', token: () => 'tok', fetch }) }
}

test('a request carries its parameters encoded, its query without what is undefined, its body as JSON, and the token', async () => {
  const { call, asked } = client()
  await call('PUT /api/sessions/:id/shares/:person', { params: { id: 'a/b', person: '..%' }, body: { may: 'look' } })
  await call('GET /api/changes', { query: { target: 'vm/101', limit: 5, before: undefined } })
  await call('GET /api/memory/files/*path', { params: { path: 'memory/a b?.md' } })
  expect(asked).toEqual([
    {
      method: 'PUT',
      address: 'http://jarvis/api/sessions/a%2Fb/shares/..%25',
      headers: { Authorization: 'Bearer tok', 'Content-Type': 'application/json' },
      body: '{"may":"look"}',
    },
    {
      method: 'GET',
      address: 'http://jarvis/api/changes?target=vm%2F101&limit=5',
      headers: { Authorization: 'Bearer tok' },
    },
    {
      method: 'GET',
      address: 'http://jarvis/api/memory/files/memory/a%20b%3F.md',
      headers: { Authorization: 'Bearer tok' },
    },
  ])
})

test('an empty reply is undefined, and a file comes as the answer', async () => {
  expect(
    await client(() => new Response(null, { status: 204 })).call('DELETE /api/grants/:id', { params: { id: 'g' } }),
  ).toBeUndefined()
  const file = await client(() => new Response('{"seq":0}\n')).open('GET /api/journal/export')
  expect(await file.text()).toBe('{"seq":0}\n')
})

test.each([
  ['a refusal', '{"error":{"code":"too_many_requests","message":"Wait."}}', 'too_many_requests', 'Wait.', 7],
  [
    'a page of a proxy',
    '<html>',
    'unreachable',
    'The answer (HTTP 429) could not be read. Is this the right address?',
    undefined,
  ],
])('%s is an ApiError', async (_, body, code, message, retryAfterS) => {
  const { call } = client(() => new Response(body, { status: 429, headers: { 'Retry-After': '7' } }))
  const error = await call('GET /api/jobs').catch((error: unknown) => error)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ code, message, status: 429, retryAfterS })
})

test('the compiler refuses a route, a parameter, a query, a body and a reply that the server does not have', () => {
  const { call, open } = client()
  const wrong = [
    // @ts-expect-error: there is no such route
    () => call('GET /api/alert'),
    // @ts-expect-error: the parameter is missing
    () => call('GET /api/alerts/:id'),
    // @ts-expect-error: the parameter has another name
    () => call('GET /api/alerts/:id', { params: { alert: 'a' } }),
    // @ts-expect-error: the parameter of a file is missing
    () => open('GET /api/sessions/:id/export'),
    // @ts-expect-error: the route takes no query
    () => call('GET /api/jobs', { query: { limit: 5 } }),
    // @ts-expect-error: the limit is a number
    () => call('GET /api/changes', { query: { limit: '5' } }),
    // @ts-expect-error: the body is missing
    () => call('POST /api/jobs/preview'),
    // @ts-expect-error: the body has another field
    () => call('PATCH /api/checks/:id', { params: { id: 'a' }, body: { off: true } }),
    // @ts-expect-error: the route takes no body
    () => call('POST /api/checks/run', { body: {} }),
    // @ts-expect-error: the reply is a file
    () => call('GET /api/journal/export'),
    // @ts-expect-error: the reply is JSON
    () => open('GET /api/jobs'),
    // @ts-expect-error: the reply has no such field
    async () => (await call('GET /api/jobs')).jobs,
  ]
  expect(wrong).toHaveLength(12)
  const right = () => call('POST /api/alerts/:id/silence', { params: { id: 'a' }, body: { note: 'known' } })
  expectTypeOf(right).returns.resolves.toEqualTypeOf<Alert>()
  expectTypeOf(call<'GET /api/jobs'>).returns.resolves.toEqualTypeOf<JobsReply>()
  expectTypeOf<Body<'POST /api/jobs/preview'>>().not.toBeAny()
})

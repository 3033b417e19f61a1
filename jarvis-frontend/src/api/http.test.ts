import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApiError } from 'protocol/client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { bearer, call, setCredentials, withPassword } from './http.ts'

type Request = { method: string | undefined; token: string | undefined; type: string | undefined; body: string }

let answers: ((response: ServerResponse) => void)[]
let seen: Request[]
let holder: { token?: string } | undefined
let signedOut: number
let isGiven: boolean
const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const { method, headers } = request
  seen.push({ method, token: headers.authorization, type: headers['content-type'], body })
  answers.shift()?.(response)
})
const own = globalThis.fetch
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  globalThis.fetch = (path, init) => own(new URL(String(path), base), init)
})
afterAll(() => {
  globalThis.fetch = own
  server.closeAllConnections()
  return new Promise((done) => server.close(done))
})
beforeEach(() => {
  ;[answers, seen, holder, signedOut, isGiven] = [[], [], { token: 'tok' }, 0, false]
  setCredentials(
    () => holder,
    () => signedOut++,
    async () => isGiven,
  )
})
afterEach(() =>
  setCredentials(
    () => undefined,
    () => {},
    async () => false,
  ),
)

const says = (status: number, body: string, headers = {}) => {
  answers.push((response) => response.writeHead(status, headers).end(body))
}
const error = (code: string) => JSON.stringify({ error: { code, message: `It is ${code}.` } })
const failed = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (fault: unknown) => fault,
  )

test('a call carries the token and its body as JSON, and returns the answer', async () => {
  says(200, '{"id":1}')
  expect(await call('POST /api/mcp-tokens', { body: { name: 'a' } })).toEqual({ id: 1 })
  says(204, '')
  expect(await call('DELETE /api/setup')).toBeUndefined()
  expect(seen).toEqual([
    { method: 'POST', token: 'Bearer tok', type: 'application/json', body: '{"name":"a"}' },
    { method: 'DELETE', token: 'Bearer tok', type: undefined, body: '' },
  ])
  expect(bearer()).toBe('tok')
})

test('without a token, and where a cookie holds it, a call says nothing of one', async () => {
  for (const asking of [undefined, {}]) {
    holder = asking
    says(200, '')
    await call('GET /api/status')
  }
  expect(seen.map(({ token }) => token)).toEqual([undefined, undefined])
})

test.each([
  ['an error of the server', 409, error('already_decided'), {}, 'already_decided', 'It is already_decided.', undefined],
  ['a wait in seconds', 429, error('too_many_requests'), { 'Retry-After': '7' }, 'too_many_requests', /./, 7],
  [
    'a wait until a date',
    429,
    error('too_many_requests'),
    { 'Retry-After': 'Mon' },
    'too_many_requests',
    /./,
    undefined,
  ],
  ['a page of a proxy', 502, '<html>Bad gateway', {}, 'unreachable', /could not be read/, undefined],
  ['JSON of a proxy', 502, '{"message":"Bad gateway"}', {}, 'unreachable', /could not be read/, undefined],
  [
    'JSON of a proxy with words for its error',
    502,
    '{"error":"gone"}',
    {},
    'unreachable',
    /could not be read/,
    undefined,
  ],
  ['JSON that is null', 500, 'null', {}, 'unreachable', /could not be read/, undefined],
  [
    'a page where an answer should be',
    200,
    '<html>Sign in to the hotel',
    {},
    'unreachable',
    /could not be read/,
    undefined,
  ],
])('%s is an ApiError with words for a person', async (_, status, body, headers, code, message, retryAfterS) => {
  says(status, body, headers)
  const fault = await failed(call('GET /api/status'))
  expect(fault).toBeInstanceOf(ApiError)
  expect(fault).toMatchObject({ code, retryAfterS })
  expect((fault as Error).message).toMatch(message)
})

test.each([
  ['before the answer', (response: ServerResponse) => void response.destroy()],
  [
    'within the answer',
    (response: ServerResponse) => {
      response.writeHead(200, { 'Content-Length': '100' })
      response.write('{', () => response.destroy())
    },
  ],
])('a connection that ends %s is unreachable', async (_, answer) => {
  answers.push(answer)
  expect(await failed(call('GET /api/status'))).toMatchObject({ name: 'ApiError', code: 'unreachable' })
})

test.each(['unauthorized', 'token_expired'])('%s signs out, unless another sign-in came meanwhile', async (code) => {
  says(401, error(code))
  await failed(call('GET /api/status'))
  expect(signedOut).toBe(1)
  answers.push((response) => {
    holder = {}
    response.writeHead(401).end(error(code))
  })
  await failed(call('GET /api/status'))
  expect(signedOut).toBe(1)
})

test('a call that needs the password is repeated once when it was given, and refused when not', async () => {
  says(403, error('step_up_required'))
  expect(await failed(call('GET /api/status'))).toMatchObject({ code: 'step_up_required' })
  expect(seen).toHaveLength(1)
  isGiven = true
  says(403, error('step_up_required'))
  says(200, '"done"')
  expect(await call('PUT /api/settings', { body: { profile: 'lockdown' } })).toBe('done')
  expect(seen.slice(1)).toEqual([seen[2], seen[2]])
  says(403, error('step_up_required'))
  says(403, error('step_up_required'))
  expect(await failed(call('GET /api/status'))).toMatchObject({ code: 'step_up_required' })
  expect(seen).toHaveLength(5)
})

test('what failed for another reason asks for no password', async () => {
  isGiven = true
  let tries = 0
  const attempt = async () => {
    tries++
    throw new Error('no')
  }
  expect(await failed(withPassword(attempt))).toMatchObject({ message: 'no' })
  expect(tries).toBe(1)
})

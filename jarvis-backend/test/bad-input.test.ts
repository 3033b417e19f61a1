import { expect, test } from 'vitest'
import { failingRows } from './support/failing-rows.ts'
import { calls, says } from './support/scripted-model.ts'
import { useJarvis } from './support/use-jarvis.ts'

const jarvis = useJarvis()

test('a message over 64 kB is refused with its code, and one of 64 kB is taken', async () => {
  jarvis.plays(says('Long.'))
  const operator = await jarvis.connect()
  expect(await operator.request('chat:send', { message: `${'é'.repeat(32 * 1024)}x` })).toMatchObject({
    ok: false,
    error: { code: 'message_too_large' },
  })
  expect(await operator.request('chat:send', { message: 'é'.repeat(32 * 1024) })).toMatchObject({ ok: true })
  await operator.next('chat:done')
})

const noMessages: [what: string, payload: unknown][] = [
  ['nothing', undefined],
  ['text', 'hello'],
  ['a list', ['hello']],
  ['no message', {}],
  ['an empty message', { message: ' \n ' }],
  ['a number', { message: 7 }],
  ['an unknown field', { message: 'Hi.', confirmed: true }],
]
test('a payload that is no message is refused', async () => {
  const operator = await jarvis.connect()
  const refused = { ok: false, error: { code: 'invalid_request' } }
  const judge = async ([, payload]: (typeof noMessages)[number]) =>
    expect(await operator.request('chat:send', payload)).toMatchObject(refused)
  expect(await failingRows(noMessages, judge)).toEqual([])
})

test('an unknown session is reported as unknown, on every request', async () => {
  const operator = await jarvis.connect()
  for (const [event, payload] of [
    ['chat:send', { message: 'Hi.' }],
    ['chat:attach', {}],
    ['chat:abort', {}],
  ] as const) {
    expect(await operator.request(event, { ...payload, sessionId: 'ses_nowhere' })).toMatchObject({
      ok: false,
      error: { code: 'unknown_session' },
    })
  }
  expect((await jarvis.rest('/api/sessions/ses_nowhere')).status).toBe(404)
})

test('malformed packets and events without acknowledgement do not end the process', async () => {
  jarvis.plays(says('Still here.'))
  const rude = await jarvis.connect()
  rude.socket.emit('chat:send')
  rude.socket.emit('chat:send', null, 'not a function')
  rude.socket.emit('chat:confirm', { toolUseId: { $gt: '' } })
  rude.socket.emit('no:such:event', Buffer.alloc(10))
  rude.socket.io.engine.write('42/chat,["chat:send",')
  rude.socket.io.engine.write('9')
  const polite = await jarvis.connect()
  await polite.ask('chat:send', { message: 'Are you there?' })
  expect(await polite.next('chat:done')).toMatchObject({ stopReason: 'end_turn' })
})

const noBodies: [what: string, body: string, status: number, type?: string][] = [
  ['not JSON', '{"password":', 400],
  ['an unknown field', '{"password":"x","role":"operator"}', 400],
  ['too large', JSON.stringify({ password: 'x'.repeat(300_000) }), 413],
  ['JSON by another name, with the wrong password', '{"password":"x"}', 401, 'text/plain'],
]
test('a REST body that cannot be read is refused', async () => {
  const judge = async ([, body, status, type = 'application/json']: (typeof noBodies)[number]) => {
    const headers = { 'content-type': type }
    const response = await fetch(`${jarvis.url}/api/auth/login`, { method: 'POST', headers, body })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } })
  }
  expect(await failingRows(noBodies, judge)).toEqual([])
})

test('a number that JSON cannot hold is refused by its name, typed, asked for over REST and by a model', async () => {
  const body = '{"input":{"vmid":1e309}}'
  const headers = { 'content-type': 'application/json' }
  const classified = await jarvis.rest('/api/tools/stop_vm/classify', { method: 'POST', body, headers })
  expect(JSON.stringify(await classified.json())).toContain('a number that is too large or no number, such as 1e309')
  jarvis.plays(calls(['stop_vm', JSON.parse('{"vmid":1e309}')]), says('It cannot be.'))
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop it.' })
  const wrong = await operator.next('chat:tool_result')
  expect(wrong).toMatchObject({ isError: true, result: expect.stringContaining('1e309') })
  await operator.next('chat:done')
  await operator.ask('chat:send', { sessionId, message: '/set_guest_config vmid=103 set={"cores": 1e309}' })
  expect(await operator.next('chat:error')).toMatchObject({
    code: 'invalid_request',
    error: 'The arguments are beyond JSON: they have a number that is too large or no number, such as 1e309.',
  })
  expect(jarvis.guest(103)?.status).toBe('running')
})

test('unknown query fields, paths and methods are refused in the same form', async () => {
  for (const [path, method, status] of [
    ['/api/sessions?limit=0', 'GET', 400],
    ['/api/sessions?sort=asc', 'GET', 400],
    ['/api/sessions?before=yesterday', 'GET', 400],
    ['/api/nothing', 'GET', 404],
    ['/api/tools', 'DELETE', 404],
  ] as const) {
    const response = await jarvis.rest(path, { method })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code: expect.any(String) } })
  }
})

test('a query parameter that a route does not know is refused by its name, on every route', async () => {
  jarvis.plays(says('Well.'))
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'How are things?' })
  await operator.next('chat:done')
  const session = `/api/sessions/${sessionId}`
  const reads = [
    ...['confirmations', 'doctor', 'grants', 'journal', 'journal/verify', 'journal/export', 'limits', 'logs'],
    ...[
      'mcp-servers',
      'mcp-tokens',
      'tokens',
      'memory/search?q=a&',
      'memory/status',
      'memory/files',
      'models',
      'push',
      'samples',
    ],
    ...['samples?series=cluster&', 'sessions', 'settings', 'setup', 'status', 'cluster', 'tools', 'tools/calls'],
  ].map((path) => `/api/${path}`)
  for (const [method, path] of [
    ...[...reads, session, `${session}/entries`, `${session}/export`, '/metrics'].map((path) => ['GET', path] as const),
    ['POST', '/api/auth/login'],
    ['PATCH', session],
    ['DELETE', session],
    ['POST', `${session}/branch`],
  ] as const) {
    const url = path.endsWith('&') ? `${path}colour=red` : `${path}?colour=red`
    const response = await jarvis.rest(url, { method })
    expect(response.status, `${method} ${url}`).toBe(400)
    expect(await response.json()).toEqual({
      error: { code: 'invalid_request', message: expect.stringContaining('"colour"') },
    })
  }
  expect((await jarvis.rest(session)).status).toBe(200)

  for (const limit of [1, 2, 3]) {
    const { items } = (await (await jarvis.rest(`${session}/entries?limit=${limit}`)).json()) as { items: object[] }
    expect(items).toHaveLength(limit)
  }
})

test('secrets in a message reach neither the model, nor the transcript, nor a screen', async () => {
  const model = jarvis.plays(says('Noted.'))
  const operator = await jarvis.connect()
  const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
  const { sessionId } = await operator.ask('chat:send', { message: `My key is ${secret}, is it good?` })
  await operator.next('chat:done')
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  const everything = JSON.stringify([model.requests, operator.received, snapshot])
  expect(everything).not.toContain(secret)
  expect(everything).toContain('[redacted]')
})

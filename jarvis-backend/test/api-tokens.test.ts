import { readFileSync } from 'node:fs'
import type { ApiTokenInfo, ApiTokenReply, Door, Page } from 'protocol'
import { io } from 'socket.io-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createToken, revokeToken } from './support/api-tokens.ts'
import { createFakeClock, createSkippingClock, noon } from './support/fake-clock.ts'
import { firstCard } from './support/mcp-client.ts'
import { currentRequest } from './support/mcp-current.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { openEvents } from './support/sse-client.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const doors: Door[] = ['mcp', 'v1', 'api', 'metrics']

/** With this token and nothing else. */
const ask = (jarvis: TestJarvis, token: string, path: string, method = 'GET') =>
  fetch(jarvis.url + path, { method, headers: { authorization: `Bearer ${token}` } })
const errorOf = async (response: Response) =>
  ((await response.json()) as { error: { code: string; message: string } }).error

test('a token is made for its doors, is shown once, and opens them until it is revoked or expires', async () => {
  const clock = createSkippingClock()
  const jarvis = await startJarvis({ clock })
  const make = async (json: object) => jarvis.rest('/api/tokens', { method: 'POST', json })
  const [api, scrape] = (await Promise.all(
    [
      { name: 'grafana', doors: ['api'], expiresInDays: 1 },
      { name: 'prometheus', doors: ['metrics'] },
    ].map(async (json) => (await make(json)).json()),
  )) as [ApiTokenReply, ApiTokenReply]
  expect(api).toMatchObject({ name: 'grafana', doors: ['api'], scope: 'read', hint: api.token.slice(-4) })
  for (const [wrong, what] of [
    [{ name: 'none', doors: [] }, 'doors'],
    [{ name: 'boss', doors: ['v1'], scope: 'decide' }, 'scope'],
    [{ name: 'grafana', doors: ['v1'] }, 'There is a token grafana already'],
  ] as const) {
    const response = await make(wrong)
    expect([response.status, (await errorOf(response)).message]).toEqual([400, expect.stringContaining(what)])
  }

  expect((await ask(jarvis, api.token, '/api/cluster')).status).toBe(200)
  expect(await (await ask(jarvis, scrape.token, '/metrics')).text()).toContain('jarvis_info')
  const events = await openEvents(`${jarvis.url}/api/events`, api.token)
  const list = await (await jarvis.rest('/api/tokens')).text()
  expect(list).not.toContain(api.token)
  expect((JSON.parse(list) as Page<ApiTokenInfo>).items).toMatchObject([
    // The stream is a request too; its checks are none.
    { name: 'grafana', calls: 2, lastUsedAt: expect.any(Number) },
    { name: 'prometheus', calls: 1, lastUsedAt: expect.any(Number) },
  ])
  // The older routes know tokens of MCP clients alone.
  expect(await (await jarvis.rest('/api/mcp-tokens')).json()).toEqual({ items: [] })
  expect((await jarvis.rest('/api/mcp-tokens/grafana', { method: 'DELETE' })).status).toBe(404)

  clock.skip(25 * 60 * 60_000)
  expect(await errorOf(await ask(jarvis, api.token, '/api/cluster'))).toMatchObject({ code: 'token_expired' })
  // Whatever ends one token shows that the other has expired.
  expect((await jarvis.rest('/api/tokens/prometheus', { method: 'DELETE' })).status).toBe(204)
  await events.ended
  expect((await jarvis.rest('/api/tokens/prometheus', { method: 'DELETE' })).status).toBe(404)
  expect(await errorOf(await ask(jarvis, scrape.token, '/metrics'))).toMatchObject({ code: 'unauthorized' })
})

test('each door takes its own tokens alone, and says what is wrong with another', async () => {
  const jarvis = await startJarvis()
  const token = Object.fromEntries(doors.map((door) => [door, createToken(jarvis, { name: door, doors: [door] })]))
  const mcp = (bearer: string) => fetch(`${jarvis.url}/mcp`, currentRequest(bearer, 'tools/list', {}))
  const at: Record<Door, (bearer: string) => Promise<Response>> = {
    mcp,
    v1: (bearer) => ask(jarvis, bearer, '/v1/models'),
    api: (bearer) => ask(jarvis, bearer, '/api/status'),
    metrics: (bearer) => ask(jarvis, bearer, '/metrics'),
  }
  for (const [door, knock] of Object.entries(at)) {
    for (const [other, bearer] of Object.entries(token)) {
      const response = await knock(bearer)
      expect([door, other, response.status]).toEqual([door, other, door === other ? 200 : 403])
      if (door !== other) {
        expect((await errorOf(response)).message).toContain(`The token ${other} is for ${other} and not for ${door}`)
      }
    }
    const whole = token[door] ?? ''
    const typo = await knock(`${whole.slice(0, -1)}${whole.endsWith('0') ? '1' : '0'}`)
    expect([typo.status, (await errorOf(typo)).message]).toEqual([401, expect.stringContaining('checksum')])
    expect((await knock('jmcp_nothing')).status).toBe(401)
  }
  // A person may scrape as before, and the socket is for persons alone.
  expect((await jarvis.rest('/metrics', { role: 'viewer' })).status).toBe(200)
  const socket = io(`${jarvis.url}/chat`, { auth: { token: token.api }, forceNew: true, transports: ['websocket'] })
  onTestFinished(() => void socket.disconnect())
  expect(await new Promise((refused) => socket.once('connect_error', refused))).toMatchObject({
    data: { code: 'unauthorized' },
  })
})

test('a token with a rate is told when to come again, in the error form of each door', async () => {
  const clock = createSkippingClock()
  const jarvis = await startJarvis({ clock })
  const create = (json: object) => jarvis.rest('/api/tokens', { method: 'POST', json })
  for (const requestsPerMinute of [0, 1.5, '9', null])
    expect((await create({ name: 'wrong', doors: ['api'], requestsPerMinute })).status).toBe(400)
  const made = (await (await create({ name: 'busy', doors, requestsPerMinute: 2 })).json()) as ApiTokenReply
  const { token } = made
  expect(made).toMatchObject({ requestsPerMinute: 2, calls: 0 })
  // Refused ones are not counted, and take nothing of the next minute.
  const other = createToken(jarvis, { name: 'other', doors })
  const at = ['/api/status', '/v1/models', '/metrics']
  for (const path of at.slice(0, 2)) expect((await ask(jarvis, token, path)).status).toBe(200)
  const says = expect.stringContaining('The token busy may make 2 requests a minute, and made them. Try again in 60 s.')
  for (const path of at) {
    const response = await ask(jarvis, token, path)
    expect([path, response.status, response.headers.get('retry-after')]).toEqual([path, 429, '60'])
    expect(await errorOf(response)).toEqual({
      code: path === '/v1/models' ? expect.any(String) : 'too_many_requests',
      message: says,
      ...(path === '/v1/models' && { type: 'rate_limit_error', param: null }),
    })
  }
  const mcp = await fetch(`${jarvis.url}/mcp`, currentRequest(token, 'tools/list', {}))
  expect([mcp.status, mcp.headers.get('retry-after'), await errorOf(mcp)]).toMatchObject([429, '60', { message: says }])
  expect((await ask(jarvis, other, '/metrics')).status).toBe(200)
  clock.skip(60_000)
  expect((await ask(jarvis, token, '/metrics')).status).toBe(200)

  const list = async (server: TestJarvis) =>
    ((await (await server.rest('/api/tokens')).json()) as Page<ApiTokenInfo>).items
  const counted = [
    { name: 'busy', calls: 3, requestsPerMinute: 2 },
    { name: 'other', calls: 1 },
  ]
  expect(await list(jarvis)).toMatchObject(counted)
  expect((await ask(jarvis, other, '/metrics')).status).toBe(200)
  await jarvis.stop()
  const again = await startJarvis({ dataDir: jarvis.dataDir, clock })
  expect(await list(again)).toMatchObject([counted[0], { name: 'other', calls: 2 }])
})

test('cards that no request holds open go with their token, also where it ended while JARVIS was down', async () => {
  const clock = createFakeClock(noon())
  const stop = () => calls(['stop_vm', { vmid: 103 }])
  const jarvis = await startJarvis({ clock, model: scripted(stop(), stop(), stop()) })
  const ways = {
    revoked: createToken(jarvis, { name: 'revoked', doors: ['api'] }),
    expiring: createToken(jarvis, { name: 'expiring', doors: ['api'], expiresInMs: 12_000 }),
    later: createToken(jarvis, { name: 'later', doors: ['api'] }),
  }
  const runs: Record<string, string> = {}
  for (const [name, bearer] of Object.entries(ways)) {
    const response = await fetch(`${jarvis.url}/api/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Stop 103.' }),
    })
    const { id } = (await response.json()) as { id: string }
    runs[id] = name
  }
  type Rows = Page<{ sessionId: string; decision?: string; note?: string }>
  const rows = async (server: TestJarvis) => {
    const { items } = (await (await server.rest('/api/confirmations')).json()) as Rows
    return Object.fromEntries(items.map((row) => [runs[row.sessionId], row.note ?? row.decision]))
  }
  const waiting = { revoked: undefined, expiring: undefined, later: undefined }
  await vi.waitFor(async () => expect(await rows(jarvis)).toEqual(waiting))
  await clock.advance(5_000)
  expect(await rows(jarvis)).toEqual(waiting)
  revokeToken(jarvis, 'revoked')
  await clock.advance(5_000)
  expect(await rows(jarvis)).toEqual({ ...waiting, revoked: 'Its token was revoked.' })
  await clock.advance(5_000)
  const two = { revoked: 'Its token was revoked.', expiring: 'Its token has expired.' }
  expect(await rows(jarvis)).toEqual({ ...waiting, ...two })
  revokeToken(jarvis, 'later')
  await jarvis.stop()
  const again = await startJarvis({ dataDir: jarvis.dataDir, clock, model: scripted(says('Well.')) })
  expect(await rows(again)).toEqual({ ...two, later: 'Its token was revoked.' })
  expect([...jarvis.controls.effects, ...again.controls.effects]).toEqual([])
})

/** Every request that the API page names, with something for each parameter. */
const requests = [...readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8').matchAll(/^\| (`[^|]+) \|/gm)]
  .flatMap(([, cell = '']) => {
    const path = /(\/(?:api|health|metrics)[^\s`]*)`/.exec(cell)?.[1]
    const methods = cell.match(/\b(?:GET|POST|PUT|PATCH|DELETE)\b/g) ?? []
    return path === undefined ? [] : methods.map((method) => ({ method, path }))
  })
  .filter(({ path }) => path.startsWith('/api/'))

/** All that a token of the door `api` may do besides reading. None of it changes anything in the cluster or decides. */
const beyondReading = ['POST /api/tools/:name/classify', 'POST /api/agents/:id/classify', 'POST /api/jobs/preview']
/** Needs the scope `ask` besides. */
const asking = [
  ...['POST /api/sessions', 'POST /api/sessions/:id/messages', 'POST /api/sessions/:id/abort'],
  ...['POST /api/attachments', 'DELETE /api/attachments/:id'],
]
/** Reads open to a viewer and closed to a program: the set-up of JARVIS, and whole files. */
const closedReads = [
  ...['/api/settings', '/api/memory/files', '/api/memory/files/PATH', '/api/memory/sessions/:id'],
  '/api/agents/:id/files/PATH',
]
const signsIn = [
  ...['/api/auth/login', '/api/auth/passkey', '/api/auth/passkey/options', '/api/auth/oidc', '/api/auth/oidc/finish'],
  ...['/api/auth/link', '/api/auth/join', '/api/auth/reset', '/api/push/decide'],
  // A tap is proven by the random bits of its button.
  '/api/channel-taps/:channel',
]
const forOperators = ['/api/doctor', '/api/logs', '/api/journal/export', '/api/models', '/api/push', '/api/setup']
const operatorsOwn = ['/api/mcp-tokens', '/api/tokens', '/api/hooks']

test('the API is closed to tokens but for the routes that say otherwise', async () => {
  const jarvis = await startJarvis()
  const token = createToken(jarvis, { name: 'script', doors: ['api'] })
  const reader = createToken(jarvis, { name: 'reader', doors: ['api'], isReadOnly: true })
  const open: string[] = []
  for (const { method, path } of requests) {
    const filled = path.replace(/:vmid/, '101').replace(/:\w+/g, 'x').replace(/PATH/, 'x.md')
    const response = await ask(jarvis, token, filled, method)
    const said = response.status === 403 ? (await errorOf(response)).message : ''
    // The hook has a key of its own, and signing in a password, a passkey or another service.
    const isClosed =
      response.status === 401 || /^(An API token may not use|A token of a program)|has no right to/.test(said)
    if (!isClosed && !signsIn.includes(path)) open.push(`${method} ${path}`)
    await response.body?.cancel().catch(() => {})
  }
  expect(requests.length).toBeGreaterThan(100)
  expect(open.filter((request) => !request.startsWith('GET ')).toSorted()).toEqual(
    [...beyondReading, ...asking].toSorted(),
  )
  const reads = requests.filter(({ method }) => method === 'GET').map(({ path }) => path)
  const closed = reads.filter((path) => !open.includes(`GET ${path}`))
  expect(closed).toEqual(expect.arrayContaining([...closedReads, ...forOperators, ...operatorsOwn]))
  expect(open.length).toBeGreaterThan(40)
  expect((await (await jarvis.rest('/api/tokens')).json()) as Page<ApiTokenInfo>).toMatchObject({
    items: [{ name: 'reader' }, { name: 'script' }],
  })
  for (const request of asking) {
    const [method = '', path = ''] = request.split(' ')
    const refused = await errorOf(await ask(jarvis, reader, path.replace(':id', 'x'), method))
    expect(refused).toEqual({ code: 'forbidden', message: expect.stringContaining('may only read') })
  }
})

test('a token that asks talks in sessions of its own, as a program, and can stop them', async () => {
  const model = scripted(calls(['stop_vm', { vmid: 103 }]), says('Hello.'))
  const jarvis = await startJarvis({ model })
  const token = createToken(jarvis, { name: 'script', doors: ['api'] })
  const post = async (path: string, json: object, bearer = token) => {
    const response = await fetch(jarvis.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const asked = { message: 'Stop 103.', requestId: 'req_once' }
  const { status, body } = await post('/api/sessions', asked)
  expect([status, body]).toEqual([201, expect.objectContaining({ source: 'v1', queued: false })])
  expect((await post('/api/sessions', asked)).body.runId).toBe(body.runId)
  const card = await firstCard(jarvis)
  expect(card).toMatchObject({ sessionId: body.id, requestedBy: { kind: 'v1', token: 'script' } })
  expect((await post(`/api/confirmations/${card.toolUseId}`, { confirmed: true })).status).toBe(403)

  // A program may name an agent that its bindings open.
  const nobody = await post('/api/sessions', { message: 'Hi', agent: 'nobody' })
  expect(nobody).toMatchObject({ status: 404, body: { error: { code: 'unknown_agent' } } })

  // Neither a person's session nor another program's is its own.
  const operator = await jarvis.connect()
  const { items } = (await (await jarvis.rest('/api/sessions?source=v1')).json()) as Page<{ id: string }>
  const own = `/api/sessions/${items[0]?.id}`
  const theirs = (await (await jarvis.rest('/api/sessions', { method: 'POST', json: {} })).json()) as { id: string }
  expect((await post(`/api/sessions/${theirs.id}/messages`, { message: 'Hi' })).status).toBe(403)
  expect((await post(`/api/sessions/${theirs.id}/abort`, {})).status).toBe(403)
  const stranger = createToken(jarvis, { name: 'stranger', doors: ['api'] })
  expect((await post(`${own}/abort`, {}, stranger)).status).toBe(403)

  await operator.ask('chat:attach', { sessionId: items[0]?.id ?? '' })
  expect((await post(`${own}/abort`, {})).status).toBe(200)
  await operator.next('chat:done')
  expect((await post(`${own}/messages`, { message: 'Hi' })).status).toBe(202)
  await operator.next('chat:done')
  expect(jarvis.controls.effects).toEqual([])
})

import { request } from 'node:http'
import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { expect, onTestFinished, test } from 'vitest'
import { failingRows } from './support/failing-rows.ts'
import { createFakeClock, noon } from './support/fake-clock.ts'
import { createToken, firstCard, headersOf, revokeToken } from './support/mcp-client.ts'
import { askCurrent, currentRequest } from './support/mcp-current.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

type Message = { id?: number; method?: string; params?: Record<string, unknown>; result?: Record<string, unknown> }

const olderHeaders = (token: string, session?: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
})

/** An older client's session, by hand. */
async function openSession(jarvis: TestJarvis, token: string, headers: Record<string, string> = {}): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'by-hand', version: '1' } }
  const response = await fetch(`${jarvis.url}/mcp`, {
    method: 'POST',
    headers: { ...olderHeaders(token), ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'initialize', params }),
  })
  expect(response.status).toBe(200)
  await response.text()
  return response.headers.get('mcp-session-id') ?? ''
}

async function* messagesOf(response: Response): AsyncGenerator<Message> {
  const body = response.body
  if (body === null) return
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { data } of events) if (data !== '') yield JSON.parse(data) as Message
}

/** Resolves when the stream is over, however it ends. */
const over = (response: Response) => response.text().catch(() => 'cut')

test('initialize begins anew whatever session it names; of a session that is gone, only what needs one is 404', async () => {
  const jarvis = await startJarvis()
  const token = createToken(jarvis, { name: 'returns' })
  const live = await openSession(jarvis, token)
  const lost = '0b3f0000-0000-4000-8000-000000000000'
  const rows = [live, lost, '', 'no id at all', 'x'.repeat(4_000)]
  const judge = async (id: string) => {
    const session = await openSession(jarvis, token, { 'mcp-session-id': id })
    expect(session).toMatch(/^[\da-f-]{36}$/)
    expect([live, lost]).not.toContain(session)
  }
  expect(await failingRows(rows, judge)).toEqual([])

  const ask = async (
    method: string,
    session: string,
    body: unknown = { jsonrpc: '2.0', id: 8, method: 'tools/list' },
  ) => {
    const response = await fetch(`${jarvis.url}/mcp`, {
      method,
      headers: olderHeaders(token, session),
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: method === 'GET' && response.ok ? '' : await response.text() }
  }
  // The session that was named goes on beside the new one.
  expect((await ask('POST', live)).status).toBe(200)
  const served = await ask('POST', lost)
  expect(served).toMatchObject({ status: 200, text: expect.stringContaining('get_vms') })
  const call = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'get_vms', arguments: {} } }
  expect(await ask('POST', lost, call)).toMatchObject({ status: 200, text: expect.stringContaining('"isError":false') })
  const subscribe = { jsonrpc: '2.0', id: 9, method: 'resources/subscribe', params: { uri: 'jarvis://cluster' } }
  for (const body of [subscribe, [subscribe]]) expect((await ask('POST', lost, body)).status).toBe(404)
  for (const method of ['GET', 'DELETE']) expect((await ask(method, lost)).status).toBe(404)
})

test('clients of the SDKs go on after a restart, with the rights of their token, and may cancel', async () => {
  let jarvis = await startJarvis()
  const { dataDir } = jarvis
  const token = createToken(jarvis, { name: 'stays' })
  const reader = createToken(jarvis, { name: 'reads', isReadOnly: true })
  const statuses: number[] = []
  const through = async (url: string | URL, init?: RequestInit) => {
    const response = await fetch(new URL(new URL(url).pathname, jarvis.url), init)
    if (init?.method === 'POST') statuses.push(response.status)
    return response
  }
  const made = async (version: 1 | 2, bearer: string) => {
    const options = { ...headersOf(bearer), fetch: through as typeof fetch }
    const at = new URL('/mcp', jarvis.url)
    const client =
      version === 1 ? new Client({ name: 'v1', version: '1' }) : new CurrentClient({ name: 'v2', version: '1' })
    await (version === 1
      ? (client as Client).connect(new StreamableHTTPClientTransport(at, options) as never)
      : (client as CurrentClient).connect(new CurrentTransport(at, options)))
    onTestFinished(() => client.close())
    return client
  }
  const first = await made(1, token)
  const second = await made(2, token)
  const reading = await made(1, reader)
  for (const client of [first, second, reading]) await client.callTool({ name: 'get_vms', arguments: {} })
  await jarvis.stop()
  jarvis = await startJarvis({ dataDir, homelab: jarvis.homelab })
  statuses.length = 0
  for (const client of [first, second, reading]) {
    expect(await client.callTool({ name: 'get_vms', arguments: {} })).toMatchObject({ isError: false })
    expect((await client.listTools()).tools.length).toBeGreaterThan(3)
  }
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(await reading.callTool(red)).toMatchObject({ isError: true })

  // A call that waits is withdrawn by its own client alone.
  const stop = new AbortController()
  const waiting = first.callTool(red, undefined, { signal: stop.signal }).catch(() => 'cancelled')
  const { toolUseId } = await firstCard(jarvis)
  const decided = async () => {
    const { items } = (await (await jarvis.rest('/api/confirmations')).json()) as { items: { decision?: string }[] }
    return items[0]?.decision
  }
  const cancel = (bearer: string, session: string | undefined, requestId: number) =>
    fetch(`${jarvis.url}/mcp`, {
      method: 'POST',
      headers: olderHeaders(bearer, session),
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
    })
  const { sessionId } = first.transport as unknown as { sessionId: string }
  for (let id = 0; id < 20; id += 1) expect((await cancel(reader, sessionId, id)).status).toBe(202)
  expect(await decided()).toBeUndefined()
  stop.abort()
  expect(await waiting).toBe('cancelled')
  await expect.poll(decided).toBe('cancelled')
  expect(toolUseId).toBeDefined()
  expect(jarvis.controls.effects).toEqual([])
})

const red = { name: 'stop_vm', arguments: { vmid: 103 } }

const waits = { headers: { 'jarvis-confirmation': 'wait' } }

const revoke = (jarvis: TestJarvis) => jarvis.rest('/api/mcp-tokens/watcher', { method: 'DELETE' })

test.each([
  ['revoked', undefined, 0, revoke],
  ['revoked on the command line', undefined, 5_000, async (jarvis: TestJarvis) => revokeToken(jarvis, 'watcher')],
  ['expired', 60_000, 70_000, async () => {}],
] as const)(
  'with a token that is %s every open stream ends, and what waits is withdrawn',
  async (_what, expiresInMs, waitMs, end) => {
    const clock = createFakeClock(noon())
    const jarvis = await startJarvis({ clock })
    const token = createToken(jarvis, { name: 'watcher', expiresInMs })
    const session = await openSession(jarvis, token)
    const streams = await Promise.all([
      fetch(`${jarvis.url}/mcp`, { headers: { ...olderHeaders(token, session), accept: 'text/event-stream' } }),
      fetch(
        `${jarvis.url}/mcp`,
        currentRequest(token, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
      ),
    ])
    expect(streams.map(({ status }) => status)).toEqual([200, 200])
    const stillOpen = createToken(jarvis, { name: 'another' })
    const other = await fetch(
      `${jarvis.url}/mcp`,
      currentRequest(stillOpen, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
    )
    const call = fetch(`${jarvis.url}/mcp`, currentRequest(token, 'tools/call', red, waits)).then(over, () => 'cut')
    const { toolUseId } = await firstCard(jarvis)

    await end(jarvis)
    if (waitMs > 0) await clock.advance(waitMs)
    await Promise.all([...streams.map(over), call])
    await expect
      .poll(async () => (await jarvis.rest('/api/confirmations')).json())
      .toMatchObject({ items: [{ toolUseId, decision: 'cancelled' }] })
    expect((await askCurrent(jarvis, token, 'tools/list')).error).toBeDefined()
    // Others' go on.
    const { value: first } = await messagesOf(other).next()
    expect(first?.method).toBe('notifications/subscriptions/acknowledged')
    expect(jarvis.controls.effects).toEqual([])
  },
)

const foreign: [what: string, headers: Record<string, string>][] = [
  ['a foreign Host', { host: 'evil.example' }],
  ['a Host that an attacker points here', { host: 'jarvis.evil.example:4000' }],
  ['a foreign Origin', { origin: 'http://evil.example' }],
  ['an opaque Origin', { origin: 'null' }],
  ['an Origin of another port', { origin: 'http://127.0.0.1:1' }],
]
test('a foreign Host or Origin is refused on every method, with a good token', async () => {
  const jarvis = await startJarvis()
  const token = createToken(jarvis)
  const judge = async ([, headers]: (typeof foreign)[number]) => {
    const statuses = await Promise.all(
      ['POST', 'GET', 'DELETE'].map(
        (method) =>
          new Promise<number | undefined>((resolve, reject) => {
            const asked = request(
              `${jarvis.url}/mcp`,
              { method, headers: { ...olderHeaders(token), ...headers } },
              (response) => resolve(response.resume().statusCode),
            )
            asked.on('error', reject)
            asked.end(method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' : undefined)
          }),
      ),
    )
    expect(statuses).toEqual([403, 403, 403])
  }
  expect(await failingRows(foreign, judge)).toEqual([])
})

test('a current client that listens hears what it asked for and nothing else: a resource, and that the list is another', async () => {
  const clock = createFakeClock(noon())
  const jarvis = await startJarvis({ clock, clusterStands: true })
  const token = createToken(jarvis)
  const stop = new AbortController()
  const listen = async (notifications: object) => {
    const asked = { ...currentRequest(token, 'subscriptions/listen', { notifications }), signal: stop.signal }
    const messages = messagesOf(await fetch(`${jarvis.url}/mcp`, asked))
    // From the acknowledgement on nothing is missed.
    await messages.next()
    return messages
  }
  const guest = await listen({ resourceSubscriptions: ['jarvis://guests/105'] })
  const list = await listen({ resourcesListChanged: true })
  jarvis.controls.addGuests(150)
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: '/execute_ssh node=pve command="uptime"' })
  await operator.next('chat:done')
  await clock.advance(60_000)
  expect((await list.next()).value).toMatchObject({ method: 'notifications/resources/list_changed' })
  expect((await guest.next()).value).toMatchObject({
    method: 'notifications/resources/updated',
    params: { uri: 'jarvis://guests/105' },
  })
  stop.abort()

  // Page by page, each once.
  const uris: unknown[] = []
  let cursor: unknown
  let pages = 0
  do {
    const { result } = await askCurrent(jarvis, token, 'resources/list', cursor === undefined ? {} : { cursor })
    const page = result?.resources as { uri: string }[]
    expect(page.length).toBeLessThanOrEqual(100)
    uris.push(...page.map(({ uri }) => uri))
    cursor = result?.nextCursor
    pages += 1
  } while (cursor !== undefined)
  expect(pages).toBeGreaterThan(1)
  const { guests, nodes } = jarvis.homelab.cluster.state()
  expect(uris).toHaveLength(guests.length + nodes.length + 2)
  expect(new Set(uris).size).toBe(uris.length)
  expect((await askCurrent(jarvis, token, 'resources/list', { cursor: 'bm9uZQ' })).error?.code).toBe(-32_602)
})

test('50 clients that all call their request 7 at once get their own answers, reads and refusals alike', async () => {
  const jarvis = await startJarvis()
  const guests = jarvis.homelab.cluster.state().guests.map(({ vmid }) => vmid)
  const clients = await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const token = createToken(jarvis, { name: `client-${at}` })
      return { at, token, session: at % 2 === 0 ? await openSession(jarvis, token) : undefined }
    }),
  )
  const send = ({ token, session }: (typeof clients)[number], method: string, params: Record<string, unknown>) =>
    fetch(
      `${jarvis.url}/mcp`,
      session === undefined
        ? currentRequest(token, method, params)
        : {
            method: 'POST',
            headers: olderHeaders(token, session),
            body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
          },
    ).then(async (response) => {
      const text = await response.text()
      return text.startsWith('{') ? text : (/^data: (\{.*"id":7.*\})$/m.exec(text)?.[1] ?? text)
    })
  await Promise.all(
    clients.map(async (client) => {
      const vmid = guests[client.at % guests.length]
      const [resource, refusal] = await Promise.all([
        send(client, 'resources/read', { uri: `jarvis://guests/${vmid}` }),
        send(client, 'tools/call', { name: `no_tool_${client.at}_`, arguments: {} }),
      ])
      expect(JSON.parse(resource)).toMatchObject({ id: 7, result: { contents: [{ uri: `jarvis://guests/${vmid}` }] } })
      expect(refusal).toContain(`no_tool_${client.at}_`)
    }),
  )
})

test('clients do not see the message of an internal fault', async () => {
  let isBroken = false
  const orBreak = () => {
    if (isBroken) throw new TypeError('undefined is no row of /srv/jarvis')
  }
  const jarvis = await startJarvis({
    database: (database) => ({
      ...database,
      atomically(work) {
        orBreak()
        return database.atomically(work)
      },
      async together(work) {
        orBreak()
        return database.together(work)
      },
    }),
  })
  const token = createToken(jarvis)
  await askCurrent(jarvis, token, 'tools/call', { name: 'get_vms', arguments: {} })
  isBroken = true
  const answer = await askCurrent(jarvis, token, 'tools/call', { name: 'stop_vm', arguments: { vmid: 103 } })
  isBroken = false
  expect(answer.error).toMatchObject({ code: -32_603, message: 'Something went wrong inside JARVIS.' })
})

test('a request that is too large is answered without reading all of it', async () => {
  const jarvis = await startJarvis()
  const upload = request(`${jarvis.url}/mcp`, { method: 'POST', headers: olderHeaders(createToken(jarvis)) })
  const cut = new Promise<void>((resolve) => {
    upload.on('error', () => {}).on('close', resolve)
  })
  const answered = new Promise<number | undefined>((resolve) => {
    upload.on('response', (response) => {
      response.resume()
      resolve(response.statusCode)
    })
  })
  // To the byte that is too many: one that is still being sent could fail before its answer is read. It has no end.
  upload.write(Buffer.alloc(4 * 1024 * 1024, 'x'))
  upload.write('x')
  expect(await answered).toBe(400)
  await cut
})

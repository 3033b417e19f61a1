import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { attachedDir, connected, serversOf, setTier, tool, until } from './support/attached.ts'
import { failingRows } from './support/failing-rows.ts'
import { createFakeClock, noon } from './support/fake-clock.ts'
import { startJarvis } from './support/start-jarvis.ts'

type Answer = (response: ServerResponse) => void
const says =
  (status: number, body: unknown): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body))
const rpc = (code: number, message: string) => ({ jsonrpc: '2.0', id: null, error: { code, message } })

/** A server over Streamable HTTP that forgets its sessions when told, and then answers as `forgot` does. */
async function forgetful(forgot: Answer, definition = tool('add')) {
  const sessions = new Set<string>()
  const made = {
    ran: 0,
    initialized: 0,
    url: '',
    definition,
    forget: () => sessions.clear(),
    /** True if it has a stream for its own messages. */
    hasStream: false,
    refused: 0,
    pinged: async () => {},
    called: async () => {},
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
    open: () => new Promise<void>((resolve) => server.listen(Number(new URL(made.url).port), '127.0.0.1', resolve)),
  }
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    if (request.method === 'GET' && made.hasStream && sessions.has(String(request.headers['mcp-session-id'])))
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = JSON.parse(text) as { id?: number; method: string }
    const answer = (result: object, headers = {}) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    }
    const session = request.headers['mcp-session-id']
    if (method === 'initialize') {
      expect(session).toBeUndefined()
      made.initialized += 1
      const name = `s${made.initialized}`
      sessions.add(name)
      const said = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'f', version: '1' },
      }
      return answer(said, { 'mcp-session-id': name })
    }
    if (session === undefined) return says(400, rpc(-32000, 'Bad Request: No valid session ID provided'))(response)
    if (method === 'ping') await made.pinged()
    if (!sessions.has(String(session))) {
      made.refused += 1
      return forgot(response)
    }
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'tools/list') return answer({ tools: [made.definition] })
    if (method === 'ping') return answer({})
    made.ran += 1
    await made.called()
    answer({ content: [{ type: 'text', text: 'added' }] })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return made
}

async function attachedTo(server: { url: string; type?: string }, options: Parameters<typeof startJarvis>[0] = {}) {
  const { url, type = 'http' } = server
  const { dir } = attachedDir(() => ({ notes: { type, url } }))
  const jarvis = await startJarvis({ dataDir: dir, ...options })
  await connected(jarvis, 'notes')
  await setTier(jarvis, 'notes__add', 'yellow')
  const operator = await jarvis.connect()
  return {
    jarvis,
    async add() {
      await operator.ask('chat:send', { message: '/notes__add text=hi' })
      return operator.next('chat:tool_result')
    },
  }
}

const unknown = { isError: true, isUnknown: true, ran: 1 } as const
const forgotten: [what: string, answer: Answer, outcome: { isError: boolean; isUnknown?: true; ran: number }][] = [
  ['404 with an error', says(404, rpc(-32001, 'Session not found')), { isError: false, ran: 2 }],
  ['404 in plain words', says(404, 'Session not found'), { isError: false, ran: 2 }],
  ['404 without a word', says(404, ''), { isError: false, ran: 2 }],
  ['400 about the session', says(400, rpc(-32000, 'No valid session ID provided')), { isError: false, ran: 2 }],
  ['400 about something else', says(400, 'Bad request'), { isError: true, isUnknown: true, ran: 1 }],
  ['405', says(405, ''), { isError: true, ran: 1 }],
  ['503 of a lost session', says(503, rpc(-32000, 'No such session')), { isError: false, ran: 2 }],
  ['503 while it starts, perhaps for the call itself', says(503, 'Service restarting'), unknown],
  ['503 of a gateway whose server ended', says(503, rpc(-32000, 'Connection closed')), unknown],
  ['503 of a proxy that lost the answer', says(503, 'upstream connect error or reset before headers'), unknown],
  ['503 without a word', says(503, ''), unknown],
  ['500', says(500, 'Oops'), unknown],
  ['a cut connection', (response) => void response.destroy(), { isError: true, isUnknown: true, ran: 1 }],
]
test('a call whose session the server forgot is sent once more in a new one, and only where nothing can have run', async () => {
  const judge = async ([, answer, { ran, ...outcome }]: (typeof forgotten)[number]) => {
    const server = await forgetful(answer)
    const { jarvis, add } = await attachedTo(server)
    expect(await add()).toMatchObject({ isError: false })
    server.forget()
    const after = await add()
    expect(after).toMatchObject(outcome)
    expect(after.isUnknown).toBe(outcome.isUnknown)
    expect(server.ran).toBe(ran)
    if (!outcome.isError) {
      expect((await serversOf(jarvis)).items[0]).toMatchObject({
        state: 'connected',
        reconnectedAt: expect.any(Number),
        tools: [{ tier: 'yellow' }],
      })
    }
    await jarvis.stop()
  }
  expect(await failingRows(forgotten, judge)).toEqual([])
})

test('a server that dies while nothing is called is seen, and connected anew when it is back', async () => {
  const clock = createFakeClock(noon())
  const server = await forgetful(says(404, ''))
  const { jarvis, add } = await attachedTo(server, { clock, clusterStands: true })
  await server.close()
  await clock.advance(30_000)
  const goneSince = clock.now()
  expect(await until(jarvis, 'notes', ({ state }) => state === 'failed')).toMatchObject({ goneSince })
  await clock.advance(1_000)
  // It is tried again with growing pauses, and says since when it is gone.
  const later = await until(jarvis, 'notes', ({ state, retryAt = 0 }) => state === 'failed' && retryAt > clock.now())
  expect(later).toMatchObject({ goneSince, retryAt: clock.now() + 2_000 })
  server.forget()
  await server.open()
  await clock.advance(2_000)
  const back = await connected(jarvis, 'notes')
  expect(back).toMatchObject({ reconnectedAt: clock.now() })
  expect(back.goneSince).toBeUndefined()
  expect(await add()).toMatchObject({ isError: false })
  // A session that is lost in between is seen the same way.
  server.forget()
  await clock.advance(30_000)
  await until(jarvis, 'notes', ({ reconnectedAt = 0 }) => reconnectedAt === clock.now())
})

test('a server whose stream ends is looked after at once, and connect connects a dead one', async () => {
  const server = await forgetful(says(404, ''))
  server.hasStream = true
  const { jarvis, add } = await attachedTo(server)
  await server.close()
  await until(jarvis, 'notes', ({ state, goneSince }) => state === 'failed' && goneSince !== undefined)
  server.forget()
  await server.open()
  await jarvis.rest('/api/mcp-servers/notes/connect', { method: 'POST' })
  await connected(jarvis, 'notes')
  expect(await add()).toMatchObject({ isError: false })
})

test('a look after a server cuts off no call that began meanwhile', async () => {
  const clock = createFakeClock(noon())
  const server = await forgetful(says(404, ''))
  const { jarvis, add } = await attachedTo(server, { clock, clusterStands: true })
  let answerPing = () => {}
  const isAsked = new Promise<void>((asked) => {
    server.pinged = () => {
      asked()
      return new Promise((answered) => {
        answerPing = answered
      })
    }
  })
  await clock.advance(30_000)
  await isAsked
  let answerCall = () => {}
  const isCalled = new Promise<void>((called) => {
    server.called = () => {
      called()
      return new Promise((answered) => {
        answerCall = answered
      })
    }
  })
  const adding = add()
  await isCalled
  server.forget()
  answerPing()
  await expect.poll(() => server.refused).toBe(1)
  answerCall()
  expect(await adding).toMatchObject({ isError: false, result: 'added' })
  expect(server.ran).toBe(1)
  expect((await serversOf(jarvis)).items[0]?.state).toBe('connected')
})

/** A server over the older transport, whose streams can be cut as by a restart. */
async function older() {
  const streams = new Map<string, ServerResponse>()
  const made = { type: 'sse', url: '', ran: 0, greeted: 0, cut: () => {}, posted: undefined as Answer | undefined }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const at = new URL(String(request.url), 'http://x')
    if (request.method === 'GET') {
      const id = String(streams.size + made.greeted)
      streams.set(id, response)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void response.write(`event: endpoint\ndata: /post?id=${id}\n\n`)
    }
    const stream = streams.get(at.searchParams.get('id') ?? '')
    if (stream === undefined || made.posted !== undefined)
      return (made.posted ?? says(404, { error: 'no session' }))(response)
    response.writeHead(202).end()
    const { id, method } = JSON.parse(text) as { id?: number; method: string }
    if (id === undefined) return
    if (method === 'initialize') made.greeted += 1
    if (method === 'tools/call') made.ran += 1
    const results: Record<string, object> = {
      initialize: { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 'o', version: null } },
      'tools/list': { tools: [tool('add'), { name: 'odd', inputSchema: {} }], nextCursor: null },
      'tools/call': { content: [{ type: 'text', text: 'added' }], isError: null },
      ping: {},
    }
    const result = results[method]
    const message = result === undefined ? { error: { code: -32601, message: 'no' } } : { result }
    stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, ...message })}\n\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`
  made.cut = () => {
    for (const stream of streams.values()) stream.destroy()
    streams.clear()
  }
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return made
}

test('a server over the older transport is connected anew after a restart, by the next call too', async () => {
  const server = await older()
  const { jarvis, add } = await attachedTo(server)
  expect((await serversOf(jarvis)).items[0]?.refused).toMatchObject([{ toolName: 'odd' }])
  expect(await add()).toMatchObject({ isError: false })
  server.cut()
  const back = await until(
    jarvis,
    'notes',
    ({ state, reconnectedAt }) => state === 'connected' && reconnectedAt !== undefined,
  )
  expect(back).toMatchObject({ tools: [{ tier: 'yellow' }] })
  expect(await add()).toMatchObject({ isError: false, result: 'added' })
  server.cut()
  expect(await add()).toMatchObject({ isError: false, result: 'added' })
  expect(server.ran).toBe(3)

  // The stream stands and the session is gone: the call is sent once more in a new one.
  const greeted = server.greeted
  let refusals = 0
  server.posted = (response) => {
    refusals += 1
    server.posted = undefined
    says(404, 'Could not find session')(response)
  }
  expect(await add()).toMatchObject({ isError: false })
  expect([refusals, server.greeted - greeted, server.ran]).toEqual([1, 1, 4])
})

test('a tool that changed with the restart is not run for the old one', async () => {
  const server = await forgetful(says(404, ''))
  const { jarvis, add } = await attachedTo(server)
  server.definition = tool('add', { description: 'Deletes everything.' })
  server.forget()
  expect(await add()).toMatchObject({ isError: true, result: expect.stringContaining('Nothing was run') })
  expect(server.ran).toBe(0)
  expect((await serversOf(jarvis)).items[0]?.tools[0]?.tier).toBe('red')
})

test('a call to a server that is gone did not run, and its state says since when', async () => {
  const server = await forgetful(says(404, ''))
  const { jarvis, add } = await attachedTo(server)
  await server.close()
  const after = await add()
  expect(after).toMatchObject({ isError: true, result: expect.stringContaining('Nothing was run') })
  expect(after.isUnknown).toBeUndefined()
  expect((await serversOf(jarvis)).items[0]).toMatchObject({
    state: 'failed',
    goneSince: expect.any(Number),
    lastError: { message: 'connection refused' },
  })
})

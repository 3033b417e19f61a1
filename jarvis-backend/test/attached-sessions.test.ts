import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { attachedDir, connected, serversOf, setTier, tool } from './support/attached.ts'
import { failingRows } from './support/failing-rows.ts'
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
  const made = { ran: 0, initialized: 0, url: '', definition, forget: () => sessions.clear(), close: async () => {} }
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
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
    if (!sessions.has(String(session))) return forgot(response)
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'tools/list') return answer({ tools: [made.definition] })
    if (method === 'ping') return answer({})
    made.ran += 1
    answer({ content: [{ type: 'text', text: 'added' }] })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  made.close = async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return made
}

async function attachedTo(server: { url: string }) {
  const { dir } = attachedDir(() => ({ notes: { url: server.url } }))
  const jarvis = await startJarvis({ dataDir: dir })
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

const forgotten: [what: string, answer: Answer, outcome: { isError: boolean; isUnknown?: true; ran: number }][] = [
  ['404 with an error', says(404, rpc(-32001, 'Session not found')), { isError: false, ran: 2 }],
  ['404 in plain words', says(404, 'Session not found'), { isError: false, ran: 2 }],
  ['404 without a word', says(404, ''), { isError: false, ran: 2 }],
  ['400 about the session', says(400, rpc(-32000, 'No valid session ID provided')), { isError: false, ran: 2 }],
  ['400 about something else', says(400, 'Bad request'), { isError: true, isUnknown: true, ran: 1 }],
  ['405', says(405, ''), { isError: true, ran: 1 }],
  ['503', says(503, 'Starting'), { isError: true, isUnknown: true, ran: 1 }],
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
        ...{ state: 'connected', reconnectedAt: expect.any(Number) },
        tools: [{ tier: 'yellow' }],
      })
    }
    await jarvis.stop()
  }
  expect(await failingRows(forgotten, judge)).toEqual([])
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
    ...{ state: 'failed', goneSince: expect.any(Number) },
    lastError: { message: 'connection refused' },
  })
})

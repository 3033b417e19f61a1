import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AttachedLogLine } from 'protocol'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { allow, attachedDir, connected, odd, type Plan, serversOf, setTier, tool, until } from './support/attached.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { type Screen, startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { useJarvis } from './support/use-jarvis.ts'

async function typed(operator: Screen, message: string) {
  await operator.ask('chat:send', { message })
  return operator.next('chat:tool_result')
}
const logsOf = async (jarvis: TestJarvis, name: string) =>
  ((await (await jarvis.rest(`/api/mcp-servers/${name}/logs`)).json()) as { items: AttachedLogLine[] }).items

/** The odd server with these tools, all of them yellow. */
async function startOdd(names: string[], options: Parameters<typeof startJarvis>[0] & { entry?: object } = {}) {
  const { entry, ...rest } = options
  const made = attachedDir((path) => ({ odd: odd(path, entry) }), { tools: names.map((name) => tool(name)) })
  const jarvis = await startJarvis({ dataDir: made.dir, ...rest })
  await connected(jarvis, 'odd')
  for (const name of names) await setTier(jarvis, `odd__${name}`, 'yellow')
  return { jarvis, operator: await jarvis.connect(), ...made }
}
/** One server whose program is as it is told by the call. */
const usual = ['crash', 'echo', 'large', 'endless', 'logs', 'slow', 'refuses']
const made = attachedDir((path) => ({ odd: odd(path) }), { tools: usual.map((name) => tool(name)) }, afterAll)
const house = useJarvis({ dataDir: made.dir })
beforeAll(async () => {
  await connected(house, 'odd')
  for (const name of usual) await setTier(house, `odd__${name}`, 'yellow')
})

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('a server that ends at its start is tried again with growing pauses, and its last words are kept, redacted', async () => {
  const clock = createFakeClock(Date.UTC(2026, 0, 1))
  const plan: Plan = { start: 'crash', tools: [] }
  const { dir, setPlan } = attachedDir((path) => ({ odd: odd(path) }), plan)
  const jarvis = await startJarvis({ dataDir: dir, clock, clusterStands: true })
  await allow(jarvis, 'odd')
  for (const pauseMs of [1_000, 2_000, 4_000]) {
    const failed = await until(jarvis, 'odd', ({ state, retryAt = 0 }) => state === 'failed' && retryAt > clock.now())
    expect(failed.lastError?.message).toBe('it ended with code 3')
    expect((failed.retryAt ?? 0) - clock.now()).toBe(pauseMs)
    if (pauseMs === 4_000) setPlan({ tools: [tool('echo')] })
    await clock.advance(pauseMs)
  }
  await connected(jarvis, 'odd')
  const logs = await logsOf(jarvis, 'odd')
  const said = logs.filter(({ source }) => source === 'stderr').map(({ text }) => text)
  expect(said[0]).toContain('cannot read its settings')
  expect(said[0]).not.toContain('abcdef123456')
})

test('a silent server is given up after a minute, and blocks no other', async () => {
  const clock = createFakeClock(Date.UTC(2026, 0, 1))
  const { dir } = attachedDir((path) => ({ odd: odd(path) }), { start: 'hang', tools: [] })
  const jarvis = await startJarvis({ dataDir: dir, clock, clusterStands: true })
  await allow(jarvis, 'odd')
  await until(jarvis, 'odd', ({ state }) => state === 'connecting')
  // Its time begins once the client is loaded.
  await clock.advance(60_000)
  const { lastError } = await until(jarvis, 'odd', ({ state }) => state === 'failed')
  expect(lastError?.message).toBe('it did not answer within 60 s.')
  await jarvis.stop()
})

test('a slow server is waited for; one that exits at an unknown request is not asked again', async () => {
  const { dir, planPath, setPlan } = attachedDir((path) => ({ slow: odd(path) }), {
    start: 'quiet',
    tools: [tool('echo')],
  })
  const jarvis = await startJarvis({ dataDir: dir })
  expect((await connected(jarvis, 'slow')).lastError).toBeUndefined()
  setPlan({ start: 'strict', tools: [tool('echo')] })
  await jarvis.rest('/api/mcp-servers', { method: 'POST', json: { name: 'strict', ...odd(planPath) } })
  expect((await connected(jarvis, 'strict')).lastError?.message).toBe('it ended with code 9')
})

test('a missing program is reported as missing', async () => {
  const { dir } = attachedDir(() => ({ gone: { command: '/no/such/program' } }))
  const jarvis = await startJarvis({ dataDir: dir })
  await allow(jarvis, 'gone')
  const { lastError } = await until(jarvis, 'gone', ({ state }) => state === 'failed')
  expect(lastError?.message).toBe('it cannot be started: there is no program /no/such/program')
})

test('a server that dies under a call leaves its outcome unknown, and is started again', async () => {
  const operator = await house.connect()
  expect(await typed(operator, '/odd__crash')).toMatchObject({ isError: true, isUnknown: true })
  await connected(house, 'odd')
  expect(await typed(operator, '/odd__echo text=hi')).toMatchObject({ result: '{"text":"hi"}' })
})

test('a call that never answers ends with its time, and a deaf server is replaced', async () => {
  const clock = createFakeClock(Date.UTC(2026, 0, 1))
  const { jarvis, operator } = await startOdd(['hang', 'deaf'], { clock, clusterStands: true })
  for (const name of ['hang', 'deaf']) {
    await operator.ask('chat:send', { message: `/odd__${name}` })
    await operator.next('chat:tool_use')
    // The call is on its way when the server has it; its time ends in any case.
    await clock.advance(120_000)
    expect(await operator.next('chat:tool_result')).toMatchObject({ isError: true, isUnknown: true })
    if (name === 'hang') expect((await serversOf(jarvis)).items[0]?.state).toBe('connected')
  }
  await clock.advance(10_000)
  const { lastError } = await until(jarvis, 'odd', ({ state }) => state === 'failed')
  expect(lastError?.message).toBeDefined()
})

test('a long result is cut, and a message without end ends the server', async () => {
  const operator = await house.connect()
  const { result } = await typed(operator, '/odd__large')
  expect(result).toMatch(/x\n… 150000 more characters left out$/)
  expect(await typed(operator, '/odd__endless')).toMatchObject({ isError: true, isUnknown: true })
  await connected(house, 'odd')
  expect((await logsOf(house, 'odd')).some(({ text }) => text.includes('over 8 MB'))).toBe(true)
})

test('child processes of a server end with the server, and the server with JARVIS', async () => {
  const { jarvis, operator } = await startOdd(['child'])
  const { result } = await typed(operator, '/odd__child')
  const pids = result.split(' ').map(Number)
  expect(pids.map(isAlive)).toEqual([true, true])
  await jarvis.stop()
  // The kernel reaps what had no parent left.
  await expect.poll(() => pids.filter(isAlive)).toEqual([])
})

test('its log, its progress and its refusals are passed on', async () => {
  const operator = await house.connect()
  expect(await typed(operator, '/odd__logs')).toMatchObject({ result: 'Logged.' })
  const { sessionId } = await operator.ask('chat:send', { message: '/odd__slow' })
  expect(await operator.next('chat:tool_progress')).toMatchObject({ message: 'half' })
  await operator.ask('chat:abort', { sessionId })
  expect(await operator.next('chat:tool_result')).toMatchObject({ isUnknown: true })
  expect(await typed(operator, '/odd__refuses')).toMatchObject({
    isError: true,
    result: expect.stringContaining('not with these'),
  })
  const logs = await logsOf(house, 'odd')
  expect(logs).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ source: 'server', text: 'warning: the disk is full' }),
      expect.objectContaining({ source: 'stderr', text: 'a line of its own' }),
    ]),
  )
})

test('output that is no message is logged and harms nothing', async () => {
  const { dir } = attachedDir((path) => ({ odd: odd(path) }), { start: 'noise', tools: [tool('echo')] })
  const jarvis = await startJarvis({ dataDir: dir })
  await connected(jarvis, 'odd')
  await setTier(jarvis, 'odd__echo', 'green')
  expect(await typed(await jarvis.connect(), '/odd__echo text=hi')).toMatchObject({ result: '{"text":"hi"}' })
  expect((await logsOf(jarvis, 'odd')).some(({ text }) => text.includes('Welcome!'))).toBe(true)
})

test('a lazy server is started by a call, ended when idle, and its tools stay known', async () => {
  const clock = createFakeClock(Date.UTC(2026, 0, 1))
  const { jarvis, operator, dir } = await startOdd(['echo'], { clock, clusterStands: true, entry: { lazy: true } })
  await clock.advance(5 * 60_000)
  await until(jarvis, 'odd', ({ state }) => state === 'idle')
  await jarvis.stop()
  operator.socket.disconnect()

  const next = await startJarvis({ dataDir: dir, clock, clusterStands: true })
  expect((await serversOf(next)).items[0]).toMatchObject({
    state: 'idle',
    tools: [{ name: 'odd__echo', tier: 'yellow' }],
  })
  expect(await typed(await next.connect(), '/odd__echo text=hi')).toMatchObject({ result: '{"text":"hi"}' })
  expect((await serversOf(next)).items[0]?.state).toBe('connected')
})

test('names that would be one are kept apart, and tools that cannot be used are left out and named', async () => {
  const property = { type: 'object', properties: { 'a b': {} } }
  const tools = [
    tool('read.file'),
    tool('read/file'),
    tool('echo'),
    tool('echo', { description: 'Another echo.' }),
    tool('spaced', { inputSchema: property }),
    tool('deep', {
      inputSchema: Array.from({ length: 30 }).reduce((inner) => ({ type: 'object', properties: { x: inner } }), {}),
    }),
    tool('n'.repeat(90)),
  ]
  const { dir } = attachedDir((path) => ({ odd: odd(path) }), { tools })
  const jarvis = await startJarvis({ dataDir: dir })
  const server = await connected(jarvis, 'odd')
  const names = server.tools.map(({ name }) => name)
  expect(names).toHaveLength(4)
  expect(new Set(names).size).toBe(4)
  expect(names.every((name) => /^odd__[\w-]{1,59}$/.test(name))).toBe(true)
  expect(server.tools.find(({ name }) => name === 'odd__echo')?.description).toBe('Does echo.')
  expect(server.refused.map(({ toolName }) => toolName).sort()).toEqual(['deep', 'echo', 'spaced'])
})

/** An HTTP server that answers as told, and remembers who asked. */
async function listen(handle: Parameters<typeof createServer>[1]): Promise<{ server: Server; url: string }> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a URL without a server, with a sign-in or without MCP is reported as such, without the client’s own error', async () => {
  const page = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
  })
  const shut = await listen((_request, response) => {
    response.writeHead(401).end()
  })
  const gone = await listen(() => {})
  await new Promise((closed) => gone.server.close(closed))
  const urls = { page: `${page.url}/mcp`, shut: `${shut.url}/mcp`, gone: `${gone.url}/mcp` }
  const { dir } = attachedDir(() => Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, { url }])))
  const jarvis = await startJarvis({ dataDir: dir })
  const words = {
    page: 'answers, but /mcp is no MCP server',
    shut: 'wants a sign-in (401)',
    gone: 'connection refused',
  }
  for (const [name, said] of Object.entries(words)) {
    const { lastError } = await until(jarvis, name, ({ state }) => state === 'failed')
    expect(lastError?.message).toContain(said)
    expect(lastError?.message).not.toMatch(/negotiation|fetch failed/)
  }
})

test.each(['http', 'sse'])(
  'a server over %s that redirects elsewhere is not followed, and its headers go nowhere',
  async (type) => {
    const asked: string[] = []
    const other = await listen((request, response) => {
      asked.push(request.headers.authorization ?? '')
      response.end()
    })
    const first = await listen((_request, response) => {
      response.writeHead(307, { location: `${other.url}/mcp` }).end()
    })
    const { dir } = attachedDir(() => ({
      away: { type, url: `${first.url}/mcp`, headers: { Authorization: 'Bearer of-this-server' } },
    }))
    const jarvis = await startJarvis({ dataDir: dir })
    const { lastError } = await until(jarvis, 'away', ({ state }) => state === 'failed')
    expect(lastError?.message).toContain('another host')
    expect(asked).toEqual([])
  },
)

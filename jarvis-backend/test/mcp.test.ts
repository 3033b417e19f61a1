import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { failingRows } from './support/failing-rows.ts'
import { offeredInDemo } from './support/house.ts'
import { connectMcp as connect, createToken, firstCard, headersOf, type TokenOptions } from './support/mcp-client.ts'
import { says } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { useJarvis } from './support/use-jarvis.ts'

const jarvis = useJarvis()
/** A token with a session of its own. */
let made = 0
const newToken = (options: TokenOptions = {}) => {
  made += 1
  return createToken(jarvis, { name: `ops-${made}`, ...options })
}

async function connectModern(jarvis: TestJarvis, token: string) {
  const client = new ModernClient({ name: 'modern-client', version: '1' })
  await client.connect(new ModernTransport(new URL(`${jarvis.url}/mcp`), headersOf(token)))
  onTestFinished(() => client.close())
  return client
}

/** No person is at a client's other end to be asked. */
const offeredToClients = () => offeredInDemo().filter(({ asks }) => asks !== true)

test.each([
  ['an older client', connect],
  ['a current client', connectModern],
])('%s reads the catalog and calls a tool', async (_what, open) => {
  const client = await open(jarvis, newToken())
  const { tools } = await client.listTools()
  const offered = offeredToClients().map(({ name }) => name)
  expect(tools.map(({ name }) => name).toSorted()).toEqual([...offered, 'get_confirmation'].toSorted())
  expect(tools.find(({ name }) => name === 'get_vms')?.annotations).toMatchObject({ readOnlyHint: true })
  expect(tools.find(({ name }) => name === 'stop_vm')?.annotations).toMatchObject({
    destructiveHint: true,
    readOnlyHint: false,
  })
  const result = await client.callTool({ name: 'get_cluster_status', arguments: {} })
  expect(result.isError).toBe(false)
  expect(JSON.stringify(result.content)).toContain('pve')
})

test('a red call is a card with the client on it; the client waits, and cannot decide', async () => {
  const changes = jarvis.changesFromNow()
  const token = newToken({ name: 'ops-laptop' })
  const client = await connect(jarvis, token)
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: '/get_cluster_status' })

  const answer = client.callTool({ name: 'stop_vm', arguments: { vmid: 103 } })
  const card = await firstCard(jarvis)
  expect(card).toMatchObject({ toolName: 'stop_vm', requestedBy: { kind: 'mcp', token: 'ops-laptop' } })
  expect(card.sessionId).toBeTypeOf('string')

  for (const attempt of [
    fetch(`${jarvis.url}/api/confirmations/${card.toolUseId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"confirmed":true}',
    }),
    fetch(`${jarvis.url}/api/tools`, { headers: { authorization: `Bearer ${token}` } }),
  ]) {
    expect((await attempt).status).toBe(403)
  }
  expect(changes()).toEqual([])

  await operator.ask('chat:confirm', { sessionId: card.sessionId, toolUseId: card.toolUseId, confirmed: true })
  expect((await answer).isError).toBe(false)
  expect(jarvis.guest(103)?.status).toBe('stopped')
})

test('a denied call is an error result with the note', async () => {
  const changes = jarvis.changesFromNow()
  const client = await connect(jarvis, newToken())
  const answer = client.callTool({ name: 'stop_vm', arguments: { vmid: 101 } })
  const { toolUseId } = await firstCard(jarvis)
  await jarvis.rest(`/api/confirmations/${toolUseId}`, {
    method: 'POST',
    json: { confirmed: false, note: 'Film night.' },
  })
  const result = await answer
  expect(result.isError).toBe(true)
  expect(JSON.stringify(result.content)).toContain('Film night.')
  expect(changes()).toEqual([])
})

const refused: [what: string, name: string, args: object][] = [
  ['a black command', 'execute_ssh', { node: 'pve', command: 'rm -rf /' }],
  ['an argument that would approve', 'stop_vm', { vmid: 101, confirm: true }],
  ['an unknown tool', 'format_disk', {}],
]
test('what nothing may run is an error result that says why', async () => {
  const changes = jarvis.changesFromNow()
  const client = await connect(jarvis, newToken())
  const judge = async ([, name, args]: (typeof refused)[number]) => {
    const result = await client.callTool({ name, arguments: { ...args } })
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toContain('Nothing was run')
    expect(changes()).toEqual([])
  }
  expect(await failingRows(refused, judge)).toEqual([])
})

test('a read-only token sees and runs reads alone', async () => {
  const changes = jarvis.changesFromNow()
  const client = await connect(jarvis, newToken({ isReadOnly: true }))
  const { tools } = await client.listTools()
  const reads = offeredToClients().filter(({ tier }) => tier === 'green')
  expect(tools.map(({ name }) => name).toSorted()).toEqual(
    [...reads.map(({ name }) => name), 'get_confirmation'].toSorted(),
  )
  const result = await client.callTool({ name: 'wake_node', arguments: { node: 'agent' } })
  expect(result.isError).toBe(true)
  expect(changes()).toEqual([])
})

const strangers: [what: string, token: () => string | undefined][] = [
  ['none', () => undefined],
  ['an unknown one', () => 'jmcp_nothing'],
  ['an expired one', () => newToken({ expiresInMs: -1 })],
  ['a dashboard token', () => jarvis.token('operator')],
]
test('without a token that counts there is no entry', async () => {
  const judge = async ([, tokenOf]: (typeof strangers)[number]) => {
    const token = tokenOf()
    const response = await fetch(`${jarvis.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: '{}',
    })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('Bearer')
  }
  expect(await failingRows(strangers, judge)).toEqual([])
})

test('a call that the client cancels is withdrawn, with an older client too', async () => {
  const changes = jarvis.changesFromNow()
  const client = await connect(jarvis, newToken())
  const operator = await jarvis.connect()
  const patience = new AbortController()
  const answer = client.callTool({ name: 'stop_vm', arguments: { vmid: 101 } }, undefined, { signal: patience.signal })
  const { toolUseId, sessionId } = await firstCard(jarvis)
  await operator.ask('chat:attach', { sessionId })
  patience.abort()
  await expect(answer).rejects.toThrow()
  expect(await operator.next('chat:confirm_resolved')).toMatchObject({ toolUseId, decision: 'cancelled' })
  expect(changes()).toEqual([])
})

test('one token has at most five calls waiting, and the server stops in its time while they wait', async () => {
  const own = await startJarvis()
  const client = await connect(own, createToken(own))
  const guests = [101, 103, 104, 105, 110]
  const waiting = guests.map((vmid) =>
    client.callTool({ name: vmid < 104 ? 'stop_vm' : 'stop_container', arguments: { vmid } }),
  )
  const events = await own.connect('/events')
  for (;;) {
    const { items } = (await (await own.rest('/api/confirmations')).json()) as { items: object[] }
    if (items.length === guests.length) break
    await events.next('changed' as never)
  }
  const refused = await client.callTool({ name: 'stop_container', arguments: { vmid: 111 } })
  expect(JSON.stringify(refused)).toContain('wait for the operator already')
  await own.stop()
  for (const answer of await Promise.all(waiting)) expect(JSON.stringify(answer)).toContain('shutting down')
})

test('asking in the session of an MCP client shows the model only calls that it made', async () => {
  const model = jarvis.plays(says('They look well.'))
  const client = await connect(jarvis, newToken({ name: 'asked' }))
  await client.callTool({ name: 'get_vms', arguments: {} })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { sessionId: 'ses_mcp_asked', message: 'How are they?' })
  await operator.next('chat:done')
  expect(model.requests[0]?.messages).toMatchObject([{ role: 'user', text: 'How are they?', results: [] }])
})

test('a client that leaves while its call waits takes the card along, and is no error of ours', async () => {
  const own = await startJarvis({ env: { LOG_LEVEL: 'info' } })
  const client = await connect(own, createToken(own))
  const asked = client.callTool({ name: 'stop_vm', arguments: { vmid: 103 } }, undefined, { onprogress() {} })
  const left = asked.catch(() => 'left')
  const { toolUseId } = await firstCard(own)
  await client.close()
  expect(await left).toBe('left')
  const logs = async (level: string) =>
    (await (await own.rest(`/api/logs?level=${level}`)).json()) as { items: object[] }
  const told = { level: 'info', message: expect.stringContaining('an MCP request failed') }
  await expect
    .poll(() => logs('info'))
    .toMatchObject({ items: expect.arrayContaining([expect.objectContaining(told)]) })
  expect(await logs('warn')).toEqual({ items: [] })
  const { items } = (await (await own.rest('/api/confirmations')).json()) as { items: object[] }
  expect(items).toMatchObject([{ toolUseId, decision: 'cancelled' }])
})

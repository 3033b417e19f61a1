import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { offeredInDemo } from './support/house.ts'
import { connectMcp as connect, createToken, firstCard, headersOf } from './support/mcp-client.ts'
import { says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

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
  const jarvis = await startJarvis()
  const client = await open(jarvis, createToken(jarvis))
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
  const jarvis = await startJarvis()
  const token = createToken(jarvis)
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
  expect(jarvis.controls.effects).toEqual([])

  await operator.ask('chat:confirm', { sessionId: card.sessionId, toolUseId: card.toolUseId, confirmed: true })
  expect((await answer).isError).toBe(false)
  expect(jarvis.guest(103)?.status).toBe('stopped')
})

test('a denied call is an error result with the note', async () => {
  const jarvis = await startJarvis()
  const client = await connect(jarvis, createToken(jarvis))
  const answer = client.callTool({ name: 'stop_vm', arguments: { vmid: 103 } })
  const { toolUseId } = await firstCard(jarvis)
  await jarvis.rest(`/api/confirmations/${toolUseId}`, {
    method: 'POST',
    json: { confirmed: false, note: 'Film night.' },
  })
  const result = await answer
  expect(result.isError).toBe(true)
  expect(JSON.stringify(result.content)).toContain('Film night.')
  expect(jarvis.controls.effects).toEqual([])
})

test.each([
  ['a black command', 'execute_ssh', { node: 'pve', command: 'rm -rf /' }],
  ['an argument that would approve', 'stop_vm', { vmid: 103, confirm: true }],
  ['an unknown tool', 'format_disk', {}],
])('%s is an error result that says why', async (_what, name, args) => {
  const jarvis = await startJarvis()
  const client = await connect(jarvis, createToken(jarvis))
  const result = await client.callTool({ name, arguments: args })
  expect(result.isError).toBe(true)
  expect(JSON.stringify(result.content)).toContain('Nothing was run')
  expect(jarvis.controls.effects).toEqual([])
})

test('a read-only token sees and runs reads alone', async () => {
  const jarvis = await startJarvis()
  const client = await connect(jarvis, createToken(jarvis, { isReadOnly: true }))
  const { tools } = await client.listTools()
  const reads = offeredToClients().filter(({ tier }) => tier === 'green')
  expect(tools.map(({ name }) => name).toSorted()).toEqual(
    [...reads.map(({ name }) => name), 'get_confirmation'].toSorted(),
  )
  const result = await client.callTool({ name: 'wake_node', arguments: { node: 'agent' } })
  expect(result.isError).toBe(true)
  expect(jarvis.controls.effects).toEqual([])
})

test.each([
  ['none', undefined],
  ['an unknown one', 'jmcp_nothing'],
])('with %s for a token there is no entry', async (_what, token) => {
  const jarvis = await startJarvis()
  const response = await fetch(`${jarvis.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: '{}',
  })
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toContain('Bearer')
})

test('an expired token and a dashboard token are refused', async () => {
  const jarvis = await startJarvis()
  for (const token of [createToken(jarvis, { expiresInMs: -1 }), jarvis.token('operator')]) {
    const response = await fetch(`${jarvis.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: '{}',
    })
    expect(response.status).toBe(401)
  }
})

test('a call that the client cancels is withdrawn, with an older client too', async () => {
  const jarvis = await startJarvis()
  const client = await connect(jarvis, createToken(jarvis))
  const operator = await jarvis.connect()
  const patience = new AbortController()
  const answer = client.callTool({ name: 'stop_vm', arguments: { vmid: 103 } }, undefined, { signal: patience.signal })
  const { toolUseId, sessionId } = await firstCard(jarvis)
  await operator.ask('chat:attach', { sessionId })
  patience.abort()
  await expect(answer).rejects.toThrow()
  expect(await operator.next('chat:confirm_resolved')).toMatchObject({ toolUseId, decision: 'cancelled' })
  expect(jarvis.controls.effects).toEqual([])
})

test('the server stops in its time while a client waits for a person', async () => {
  const jarvis = await startJarvis()
  const client = await connect(jarvis, createToken(jarvis))
  const answer = client.callTool({ name: 'stop_vm', arguments: { vmid: 103 } })
  await firstCard(jarvis)
  await jarvis.stop()
  expect(JSON.stringify(await answer)).toContain('shutting down')
})

test('one token has at most five calls waiting', async () => {
  const jarvis = await startJarvis()
  const client = await connect(jarvis, createToken(jarvis))
  const guests = [101, 103, 104, 105, 110]
  const waiting = guests.map((vmid) =>
    client.callTool({ name: vmid < 104 ? 'stop_vm' : 'stop_container', arguments: { vmid } }).catch(() => 'gone'),
  )
  const events = await jarvis.connect('/events')
  for (;;) {
    const { items } = (await (await jarvis.rest('/api/confirmations')).json()) as { items: object[] }
    if (items.length === guests.length) break
    await events.next('changed' as never)
  }
  const refused = await client.callTool({ name: 'stop_container', arguments: { vmid: 111 } })
  expect(JSON.stringify(refused)).toContain('wait for the operator already')
  await jarvis.stop()
  await Promise.all(waiting)
})

test('asking in the session of an MCP client shows the model only calls that it made', async () => {
  const model = scripted(says('They look well.'))
  const jarvis = await startJarvis({ model })
  const client = await connect(jarvis, createToken(jarvis))
  await client.callTool({ name: 'get_vms', arguments: {} })
  const operator = await jarvis.connect()
  const { items } = (await (await jarvis.rest('/api/sessions')).json()) as { items: { id: string }[] }
  await operator.ask('chat:send', { sessionId: items[0]?.id ?? '', message: 'How are they?' })
  await operator.next('chat:done')
  expect(model.requests[0]?.messages).toMatchObject([{ role: 'user', text: 'How are they?', results: [] }])
})

test('a client that leaves while its call waits takes the card along, and is no error of ours', async () => {
  const jarvis = await startJarvis({ env: { LOG_LEVEL: 'info' } })
  const client = await connect(jarvis, createToken(jarvis))
  const asked = client.callTool({ name: 'stop_vm', arguments: { vmid: 103 } }, undefined, { onprogress() {} })
  const left = asked.catch(() => 'left')
  const { toolUseId } = await firstCard(jarvis)
  await client.close()
  expect(await left).toBe('left')
  const logs = async (level: string) =>
    (await (await jarvis.rest(`/api/logs?level=${level}`)).json()) as { items: object[] }
  const told = { level: 'info', message: expect.stringContaining('an MCP request failed') }
  await expect
    .poll(() => logs('info'))
    .toMatchObject({ items: expect.arrayContaining([expect.objectContaining(told)]) })
  expect(await logs('warn')).toEqual({ items: [] })
  const { items } = (await (await jarvis.rest('/api/confirmations')).json()) as { items: object[] }
  expect(items).toMatchObject([{ toolUseId, decision: 'cancelled' }])
})

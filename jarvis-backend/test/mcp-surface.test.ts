import { Client as CurrentClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished, test } from 'vitest'
import { createFakeClock, noon } from './support/fake-clock.ts'
import { connectMcp, createToken, firstCard, headersOf } from './support/mcp-client.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

async function connectCurrent(jarvis: TestJarvis, token: string) {
  const client = new CurrentClient({ name: 'current', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${jarvis.url}/mcp`), headersOf(token)))
  onTestFinished(() => client.close())
  return client
}

const both = [
  ['an older client', connectMcp],
  ['a current client', connectCurrent],
] as const

test.each(both)('%s lists, reads and completes resources and prompts', async (_what, connect) => {
  const jarvis = await startJarvis()
  const client = await connect(jarvis, createToken(jarvis))
  const { resources } = await client.listResources()
  expect(resources.map(({ uri }) => uri)).toEqual(
    expect.arrayContaining([
      'jarvis://cluster',
      'jarvis://journal/recent',
      'jarvis://nodes/pve',
      'jarvis://guests/103',
    ]),
  )
  expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(2)
  const read = async (uri: string) => {
    const [contents] = (await client.readResource({ uri })).contents
    return JSON.parse(contents !== undefined && 'text' in contents ? String(contents.text) : '')
  }
  expect(await read('jarvis://guests/103')).toMatchObject({ guest: { vmid: 103 } })
  expect(await read('jarvis://nodes/pve')).toMatchObject({ node: { name: 'pve' } })
  expect((await read('jarvis://cluster')).nodes.length).toBeGreaterThan(1)
  await client.callTool({ name: 'get_vms', arguments: {} })
  expect(JSON.stringify(await read('jarvis://journal/recent'))).toContain('get_vms')
  await expect(client.readResource({ uri: 'jarvis://guests/99999' })).rejects.toThrow(/not found/i)

  const ref = { type: 'ref/resource' as const, uri: 'jarvis://guests/{vmid}' }
  const { completion } = await client.complete({ ref, argument: { name: 'vmid', value: '10' } })
  expect(completion.values).toContain('103')
  expect(completion.values.every((value) => value.startsWith('10'))).toBe(true)
  const prompt = { type: 'ref/prompt' as const, name: 'plan_node_maintenance' }
  expect((await client.complete({ ref: prompt, argument: { name: 'node', value: 'P' } })).completion.values).toContain(
    'pve',
  )

  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
    'health_check',
    'why_is_guest_slow',
    'plan_node_maintenance',
  ])
  const { messages } = await client.getPrompt({ name: 'why_is_guest_slow', arguments: { vmid: '103' } })
  expect(JSON.stringify(messages)).toContain('jarvis://guests/103')
  await expect(client.getPrompt({ name: 'why_is_guest_slow', arguments: {} })).rejects.toThrow('vmid')
})

test.each(both)('%s validates each structured result by the schema it was given', async (_what, connect) => {
  const jarvis = await startJarvis()
  const client = await connect(jarvis, createToken(jarvis))
  const { tools } = await client.listTools()
  expect(tools.filter(({ outputSchema }) => outputSchema === undefined).map(({ name }) => name)).toEqual([
    'execute_ssh',
    // It answers as the tool that takes the change back.
    'undo',
  ])
  for (const name of [
    'get_cluster_status',
    'get_vms',
    'get_storage',
    'get_backups',
    'get_recent_tasks',
    'memory_get',
  ]) {
    const { structuredContent } = await client.callTool({ name, arguments: {} })
    expect(structuredContent, name).toBeTypeOf('object')
  }
})

test('an older client that subscribed hears that a guest has changed, and of nothing else', async () => {
  const jarvis = await startJarvis()
  const client = await connectMcp(jarvis, createToken(jarvis))
  const heard: string[] = []
  const changed = new Promise<void>((resolve) => {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      heard.push(params.uri)
      resolve()
    })
  })
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {})
  await client.subscribeResource({ uri: 'jarvis://guests/105' })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: '/get_vms' })
  await operator.next('chat:done')
  await changed
  expect(new Set(heard)).toEqual(new Set(['jarvis://guests/105']))
})

test('a client without progress is told that the call waits, polls, and gets the result', async () => {
  const clock = createFakeClock(noon())
  const jarvis = await startJarvis({ clock })
  const client = await connectMcp(jarvis, createToken(jarvis))
  const answer = client.callTool({ name: 'stop_vm', arguments: { vmid: 103 } })
  const { toolUseId } = await firstCard(jarvis)
  await clock.advance(45_000)
  const waiting = await answer
  expect(waiting).toMatchObject({ isError: false, structuredContent: { state: 'waiting', id: toolUseId } })
  const poll = async () =>
    (await client.callTool({ name: 'get_confirmation', arguments: { id: toolUseId } })).structuredContent as {
      state: string
    }
  expect(await poll()).toMatchObject({ state: 'waiting', toolName: 'stop_vm' })
  const other = await connectMcp(jarvis, createToken(jarvis, { name: 'other' }))
  expect((await other.callTool({ name: 'get_confirmation', arguments: { id: toolUseId } })).isError).toBe(true)

  await jarvis.rest(`/api/confirmations/${toolUseId}`, { method: 'POST', json: { confirmed: true } })
  while ((await poll()).state === 'running') await clock.advance(1_000)
  expect(await poll()).toMatchObject({ state: 'done', data: { vmid: 103, observed: 'stopped' } })
})

test.each(['header', '_meta'])('by its %s a client may ask never to wait', async (way) => {
  const jarvis = await startJarvis()
  const token = createToken(jarvis)
  const client = new CurrentClient({ name: 'hasty', version: '1' })
  const headers = { authorization: `Bearer ${token}`, ...(way === 'header' && { 'jarvis-confirmation': 'pending' }) }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${jarvis.url}/mcp`), { requestInit: { headers } }))
  onTestFinished(() => client.close())
  const result = await client.callTool({
    name: 'stop_vm',
    arguments: { vmid: 103 },
    ...(way === '_meta' && { _meta: { 'jarvis/confirmation': 'pending' } }),
  })
  const { id } = result.structuredContent as { id: string }
  const { toolUseId } = await firstCard(jarvis)
  expect(id).toBe(toolUseId)
  await jarvis.rest(`/api/confirmations/${id}`, { method: 'POST', json: { confirmed: false, note: 'Film night.' } })
  expect((await client.callTool({ name: 'get_confirmation', arguments: { id } })).structuredContent).toMatchObject({
    state: 'denied',
    note: 'Film night.',
  })
  expect(jarvis.controls.effects).toEqual([])
})

test('50 clients with the same request ids get each their own answers, and never another session', async () => {
  const jarvis = await startJarvis()
  const names = Array.from({ length: 50 }, (_, at) => `client-${at}`)
  const guests = jarvis.homelab.cluster.state().guests.map(({ vmid }) => vmid)
  await Promise.all(
    names.map(async (name, at) => {
      const client = await (at % 2 === 0 ? connectMcp : connectCurrent)(jarvis, createToken(jarvis, { name }))
      for (let round = 0; round < 4; round++) {
        const vmid = guests[(at + round) % guests.length]
        const [contents] = (await client.readResource({ uri: `jarvis://guests/${vmid}` })).contents
        const text = contents !== undefined && 'text' in contents ? String(contents.text) : '{}'
        expect(JSON.parse(text)).toMatchObject({ guest: { vmid } })
      }
    }),
  )
})

test('a session belongs to the token that opened it', async () => {
  const jarvis = await startJarvis()
  const client = await connectMcp(jarvis, createToken(jarvis))
  const sessionId = (client.transport as { sessionId?: string } | undefined)?.sessionId ?? ''
  expect(sessionId).not.toBe('')
  const response = await fetch(`${jarvis.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${createToken(jarvis, { name: 'thief' })}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': sessionId,
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  })
  expect(response.status).toBe(404)
})

test.each([
  ['a foreign Origin', { origin: 'http://evil.example' }, '', 403],
  ['a token in the query string', { authorization: '' }, 'query', 401],
])('%s is refused', async (_what, changed, where, status) => {
  const jarvis = await startJarvis()
  const token = createToken(jarvis)
  const response = await fetch(`${jarvis.url}/mcp${where === 'query' ? `?access_token=${token}&token=${token}` : ''}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...changed },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  })
  expect(response.status).toBe(status)
})

test('a plain read is answered as the SDK would, and what does not agree is refused by it', async () => {
  const jarvis = await startJarvis()
  const token = createToken(jarvis)
  const ask = async (extra: object, headers: Record<string, string> = {}) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
      ...extra,
    }
    const response = await fetch(`${jarvis.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'get_containers',
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 7,
        method: 'tools/call',
        params: { name: 'get_containers', arguments: { status: 'stopped' }, _meta },
      }),
    })
    const body = (await response.json()) as { result?: { structuredContent: { total: number } }; error?: object }
    return { status: response.status, type: response.headers.get('content-type'), body }
  }
  const plain = await ask({})
  // A key of its own is enough to go the SDK's way.
  const viaSdk = await ask({ 'example.com/trace': 'x' })
  const { structuredContent: _, content: __, ...same } = (plain.body.result ?? {}) as Record<string, unknown>
  const { structuredContent: ___, content: ____, ...expected } = (viaSdk.body.result ?? {}) as Record<string, unknown>
  expect(same).toEqual(expected)
  expect(plain.body).toMatchObject({ jsonrpc: '2.0', id: 7 })
  expect(plain.body.result?.structuredContent.total).toBe(viaSdk.body.result?.structuredContent.total)
  expect([plain.status, plain.type]).toEqual([viaSdk.status, viaSdk.type])
  expect(await ask({}, { 'mcp-name': 'get_vms' })).toMatchObject({ status: 400, body: { error: { code: -32_020 } } })
})

import type { JournalEntry, LogLine, McpTokenInfo, McpTokenReply, Page, PartStatus, Status } from 'protocol'
import { expect, test } from 'vitest'
import { connectMcp } from './support/mcp-client.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const read = async <T>(response: Response | Promise<Response>) => (await (await response).json()) as T

test('an MCP token is made once, lets a client in, is listed without its secret, and is revoked', async () => {
  const jarvis = await startJarvis()
  const made = await jarvis.rest('/api/mcp-tokens', {
    method: 'POST',
    json: { name: 'ops-laptop', isReadOnly: true, expiresInDays: 30 },
  })
  expect(made.status).toBe(201)
  const { token, expiresAt, createdAt, ...rest } = await read<McpTokenReply>(made)
  expect(rest).toMatchObject({ name: 'ops-laptop', isReadOnly: true, doors: ['mcp'], scope: 'read' })
  expect((expiresAt ?? 0) - createdAt).toBe(30 * 24 * 60 * 60_000)
  await (await connectMcp(jarvis, token)).close()

  const list = await (await jarvis.rest('/api/mcp-tokens')).text()
  expect(list).not.toContain(token)
  expect((JSON.parse(list) as Page<McpTokenInfo>).items).toMatchObject([{ name: 'ops-laptop', isReadOnly: true }])
  const again = await jarvis.rest('/api/mcp-tokens', { method: 'POST', json: { name: 'ops-laptop' } })
  expect(again.status).toBe(400)

  expect((await jarvis.rest('/api/mcp-tokens/ops-laptop', { method: 'DELETE' })).status).toBe(204)
  expect((await jarvis.rest('/api/mcp-tokens/ops-laptop', { method: 'DELETE' })).status).toBe(404)
  await expect(connectMcp(jarvis, token)).rejects.toThrow()
  const { items } = await read<Page<JournalEntry>>(jarvis.rest('/api/journal?kind=token'))
  expect(items.map(({ body }) => body)).toMatchObject([
    { change: 'revoked', name: 'ops-laptop', by: 'operator' },
    { change: 'created', name: 'ops-laptop', doors: ['mcp'], scope: 'read', by: 'operator' },
  ])
  expect(JSON.stringify(items)).not.toContain(token)
})

test.each([
  ['GET', '/api/tokens'],
  ['GET', '/api/mcp-tokens'],
  ['POST', '/api/mcp-tokens'],
  ['DELETE', '/api/mcp-tokens/x'],
  ['GET', '/api/logs'],
])('a viewer may not %s %s', async (method, path) => {
  const jarvis = await startJarvis()
  expect((await jarvis.rest(path, { method, role: 'viewer' })).status).toBe(403)
})

test('the log is read back redacted, from a level on', async () => {
  const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
  const broken = {
    id: 'test/broken',
    generate: () => Promise.reject(new Error(`the key ${secret} was refused`)),
  }
  const jarvis = await startJarvis({ model: broken, env: { LOG_LEVEL: 'info' } })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Hello.' })
  await operator.next('chat:error')
  await jarvis.rest('/api/settings', { method: 'PUT', json: { profile: 'restricted' } })
  const all = await read<Page<LogLine>>(jarvis.rest('/api/logs'))
  expect(all.items.map(({ level }) => level)).toContain('error')
  expect(all.items.at(-1)?.message).toMatch(/restricted/)
  expect(JSON.stringify(all)).not.toContain(secret)
  const { items } = await read<Page<LogLine>>(jarvis.rest('/api/logs?level=error'))
  expect(new Set(items.map(({ level }) => level))).toEqual(new Set(['error']))
  expect((await jarvis.rest('/api/logs?level=loud')).status).toBe(400)
})

test('the status says how each part is, and what does not work because of it', async () => {
  const broken = { id: 'test/broken', generate: () => Promise.reject(new Error('No answer at all.')) }
  const jarvis = await startJarvis({ model: broken, env: { JARVIS_MODEL: 'anthropic/x', ANTHROPIC_API_KEY: 'k' } })
  const partOf = async (name: string): Promise<PartStatus | undefined> =>
    (await read<Status>(jarvis.rest('/api/status'))).parts.find((part) => part.name === name)
  expect(await partOf('Model')).toMatchObject({ health: 'unknown' })
  expect(await partOf('Cluster')).toMatchObject({ health: 'ok' })
  expect(await partOf('Disk')).toMatchObject({ text: expect.stringMatching(/GiB free/) })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Hello.' })
  await operator.next('chat:error')
  expect(await partOf('Model')).toMatchObject({
    health: 'bad',
    text: expect.stringContaining('No answer at all.'),
    effect: expect.stringContaining('Questions get no answer'),
  })
})

test('the journal is filtered by tier and by outcome', async () => {
  const model = scripted(
    calls(['get_cluster_status', {}], ['execute_ssh', { node: 'pve', command: 'rm -rf /' }]),
    says('Done.'),
  )
  const jarvis = await startJarvis({ model })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Go.' })
  await operator.next('chat:done')
  const names = async (query: string) =>
    (await read<Page<JournalEntry>>(jarvis.rest(`/api/journal?${query}`))).items.map(
      ({ body }) => (body as { toolName: string }).toolName,
    )
  expect(await names('tier=black')).toEqual(['execute_ssh'])
  expect(await names('tier=green')).toEqual(['get_cluster_status'])
  expect(await names('outcome=done')).toEqual(['get_cluster_status'])
  expect((await jarvis.rest('/api/journal?tier=pink')).status).toBe(400)
})

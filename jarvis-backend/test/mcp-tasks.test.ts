import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { CallToolResultSchema, CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { systemClock } from 'node-kit/clock'
import { beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { failingRows } from './support/failing-rows.ts'
import { createFakeClock, noon } from './support/fake-clock.ts'
import { connectMcp, createToken, firstCard, revokeToken } from './support/mcp-client.ts'
import { askCurrent, currentRequest, withTasks } from './support/mcp-current.ts'
import { createSimulator } from './support/simulator.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { useJarvis } from './support/use-jarvis.ts'

const jarvis = useJarvis()
const clock = createFakeClock(noon())
/** Its time stands still. */
const still = useJarvis({ clock })
beforeEach(() => {
  for (const one of [jarvis, still]) one.controls.setStatus(103, 'running')
})

const stop103 = { name: 'stop_vm', arguments: { vmid: 103 } }

const decide = (jarvis: TestJarvis, id: string, json: object) =>
  jarvis.rest(`/api/confirmations/${id}`, { method: 'POST', json })

async function beginOlder(client: Client, params: object = stop103) {
  const { task } = await client.request(
    { method: 'tools/call', params: { ...params, task: {} } } as never,
    CreateTaskResultSchema,
  )
  return task
}

test('an older client asks for a task, polls it, and fetches its result; another token sees nothing of it', async () => {
  const changes = jarvis.changesFromNow()
  const client = await connectMcp(jarvis, createToken(jarvis, { name: 'older' }))
  const { tasks } = client.experimental
  expect(client.getServerCapabilities()?.tasks).toEqual({ list: {}, cancel: {}, requests: { tools: { call: {} } } })
  const { tools } = await client.listTools()
  const supportOf = (tool: string) => tools.find(({ name }) => name === tool)?.execution?.taskSupport
  expect([supportOf('stop_vm'), supportOf('get_vms')]).toEqual(['optional', undefined])

  const begun = await beginOlder(client)
  expect(begun).toMatchObject({ status: 'working', ttl: 2_592_000_000, pollInterval: 2_000 })
  const { toolUseId } = await firstCard(jarvis)
  expect(await tasks.getTask(begun.taskId)).toMatchObject({
    taskId: begun.taskId,
    status: 'working',
    statusMessage: expect.stringContaining('Waits for the operator'),
  })
  const stranger = await connectMcp(jarvis, createToken(jarvis, { name: 'stranger' }))
  const strangers = stranger.experimental.tasks
  expect((await strangers.listTasks()).tasks).toEqual([])
  for (const attempt of [
    strangers.getTask(begun.taskId),
    strangers.cancelTask(begun.taskId),
    strangers.getTaskResult(begun.taskId, CallToolResultSchema),
  ]) {
    await expect(attempt).rejects.toMatchObject({ code: -32_602 })
  }

  const result = tasks.getTaskResult(begun.taskId, CallToolResultSchema)
  await decide(jarvis, toolUseId, { confirmed: true })
  expect(await result).toMatchObject({
    isError: false,
    structuredContent: { vmid: 103, observed: 'stopped' },
    _meta: { 'io.modelcontextprotocol/related-task': { taskId: begun.taskId } },
  })
  expect((await tasks.listTasks()).tasks).toMatchObject([{ taskId: begun.taskId, status: 'completed' }])
  await expect(tasks.cancelTask(begun.taskId)).rejects.toMatchObject({ code: -32_602 })
  expect(changes()).toHaveLength(1)
})

test('an older client cancels a task and its card is gone; a denied one has failed, with the note', async () => {
  const changes = still.changesFromNow()
  const client = await connectMcp(still, createToken(still, { name: 'older' }))
  const { tasks } = client.experimental
  const timers = clock.pending()
  const first = await beginOlder(client)
  const card = await firstCard(still)
  // Its expiry, and the look whether its token is there still: nobody waits for it.
  expect(clock.pending() - timers).toBe(2)
  expect(await tasks.cancelTask(first.taskId)).toMatchObject({ taskId: first.taskId, status: 'cancelled' })
  expect((await decide(still, card.toolUseId, { confirmed: true })).status).toBe(409)
  expect(await tasks.getTaskResult(first.taskId, CallToolResultSchema)).toMatchObject({ isError: true })

  const second = await beginOlder(client)
  await decide(still, (await firstCard(still)).toolUseId, { confirmed: false, note: 'Film night.' })
  expect(JSON.stringify(await tasks.getTaskResult(second.taskId, CallToolResultSchema))).toContain('Film night.')
  expect((await tasks.getTask(second.taskId)).status).toBe('failed')

  const black = await beginOlder(client, { name: 'stop_vm', arguments: { vmid: 103, confirm: true } })
  expect(JSON.stringify(await tasks.getTaskResult(black.taskId, CallToolResultSchema))).toContain('Nothing was run')
  expect((await tasks.getTask(black.taskId)).status).toBe('failed')
  // A read answers at once, and a token that may only read begins nothing.
  await expect(beginOlder(client, { name: 'get_vms', arguments: {} })).rejects.toMatchObject({ code: -32_601 })
  const reader = await connectMcp(still, createToken(still, { name: 'reader', isReadOnly: true }))
  await expect(beginOlder(reader)).rejects.toMatchObject({ code: -32_602 })
  expect(changes()).toEqual([])
})

test('a current client that knows tasks gets a handle at once, and the result when it polls', async () => {
  const changes = jarvis.changesFromNow()
  const token = createToken(jarvis, { name: 'current' })
  const ask = (method: string, params?: Record<string, unknown>) => askCurrent(jarvis, token, method, params, withTasks)
  expect((await ask('server/discover')).result?.capabilities).toMatchObject({
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  })
  const { result: begun } = await ask('tools/call', stop103)
  expect(begun).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 2_592_000_000, pollIntervalMs: 2_000 })
  for (const absent of ['task', 'content', 'result', 'ttl']) expect(begun).not.toHaveProperty(absent)
  const task = { taskId: String(begun?.taskId) }
  const { toolUseId } = await firstCard(jarvis)
  expect((await ask('tasks/get', task)).result).toMatchObject({ ...task, status: 'working', resultType: 'complete' })

  // Nothing that a client sends decides, whatever it says.
  const inputResponses = { [toolUseId]: { action: 'accept', content: { confirmed: true } } }
  expect((await ask('tasks/update', { ...task, inputResponses })).result).not.toHaveProperty('status')
  expect((await ask('tasks/get', task)).result).toMatchObject({ status: 'working' })
  const stranger = createToken(jarvis, { name: 'another' })
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    expect((await askCurrent(jarvis, stranger, method, task, withTasks)).error?.code).toBe(-32_602)
    expect((await askCurrent(jarvis, token, method, task)).error?.code).toBe(-32_021)
  }
  for (const method of ['tasks/list', 'tasks/result']) expect((await ask(method, task)).error?.code).toBe(-32_601)
  expect(changes()).toEqual([])

  const screen = await jarvis.connect()
  const { sessionId } = await firstCard(jarvis)
  await screen.ask('chat:attach', { sessionId })
  await decide(jarvis, toolUseId, { confirmed: true })
  await screen.next('chat:done')
  expect((await ask('tasks/get', task)).result).toMatchObject({
    status: 'completed',
    result: { isError: false, structuredContent: { vmid: 103, observed: 'stopped' } },
  })
  // Too late to take back, which is no error there.
  expect((await ask('tasks/cancel', task)).result).toMatchObject({ resultType: 'complete' })
  expect((await ask('tasks/get', task)).result).toMatchObject({ status: 'completed' })

  // A read needs none.
  expect((await ask('tools/call', { name: 'get_vms', arguments: {} })).result).toMatchObject({ isError: false })
})

test('a current client cancels a task and its card is gone', async () => {
  const changes = jarvis.changesFromNow()
  const token = createToken(jarvis, { name: 'cancels' })
  const { result } = await askCurrent(jarvis, token, 'tools/call', stop103, withTasks)
  const task = { taskId: String(result?.taskId) }
  const { toolUseId } = await firstCard(jarvis)
  await askCurrent(jarvis, token, 'tasks/cancel', task, withTasks)
  expect((await askCurrent(jarvis, token, 'tasks/get', task, withTasks)).result).toMatchObject({ status: 'cancelled' })
  expect((await decide(jarvis, toolUseId, { confirmed: true })).status).toBe(409)
  expect(changes()).toEqual([])
})

test('a call whose client has its id outlives a restart, card and all, and runs once', async () => {
  const first = await startJarvis()
  const { dataDir } = first
  const token = createToken(first)
  const client = await connectMcp(first, token)
  // One waits as a task, one was told to poll, one waits with its request open.
  const begun = await askCurrent(first, token, 'tools/call', stop103, withTasks)
  const pending = await client.callTool({
    name: 'stop_container',
    arguments: { vmid: 105 },
    _meta: { 'jarvis/confirmation': 'pending' },
  })
  const open = client.callTool({ name: 'stop_container', arguments: { vmid: 110 } })
  const waiting = async (jarvis: TestJarvis) => {
    const { items } = (await (await jarvis.rest('/api/confirmations')).json()) as {
      items: { toolUseId: string; decision?: string; target: { vmid: number }; requestedBy: object }[]
    }
    return items.filter(({ decision }) => decision === undefined)
  }
  await expect.poll(async () => (await waiting(first)).length).toBe(3)
  await first.stop()
  const told = await open
  expect(JSON.stringify(told.content)).toContain('shutting down')
  const { id: openId } = told.structuredContent as { id: string }
  const { id: pendingId } = pending.structuredContent as { id: string }

  const second = await startJarvis({ dataDir, homelab: first.homelab })
  const cards = await waiting(second)
  expect(cards).toHaveLength(3)
  expect(cards.every(({ requestedBy }) => 'token' in requestedBy)).toBe(true)
  for (const { toolUseId } of cards) await decide(second, toolUseId, { confirmed: toolUseId !== openId })
  const again = await connectMcp(second, token)
  const became = async (id: string) =>
    (await again.callTool({ name: 'get_confirmation', arguments: { id } })).structuredContent as { state: string }
  await expect.poll(async () => (await became(pendingId)).state).toBe('done')
  expect((await became(openId)).state).toBe('denied')
  const task = { taskId: String(begun.result?.taskId) }
  await expect
    .poll(async () => (await askCurrent(second, token, 'tasks/get', task, withTasks)).result)
    .toMatchObject({ status: 'completed', result: { isError: false } })
  await expect(again.experimental.tasks.getTask(task.taskId)).resolves.toMatchObject({ status: 'completed' })
  expect(first.controls.effects).toHaveLength(2)
})

test('a task that had not begun when JARVIS stopped is not begun later: its token may be gone, and what it had read is', async () => {
  // It looks at the cluster before it begins, and nothing comes back.
  let isStuck = () => {}
  const stuck = new Promise<void>((resolve) => {
    isStuck = resolve
  })
  const homelab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })
  const catchUp = async () => {
    isStuck()
    await new Promise(() => {})
  }
  const first = await startJarvis({ homelab: { ...homelab, cluster: { ...homelab.cluster, catchUp } } })
  const { dataDir } = first
  const client = await connectMcp(first, createToken(first))
  const restart = { name: 'restart_service', arguments: { node: 'Home', service: 'chrony' } }
  const { taskId } = await beginOlder(client, restart)
  await stuck
  await first.stop()

  const second = await startJarvis({ dataDir, homelab })
  revokeToken(second, 'ops-laptop')
  const again = await connectMcp(second, createToken(second))
  await expect(again.experimental.tasks.getTask(taskId)).rejects.toThrow('This token has no such task.')
  const operator = await second.connect()
  const { snapshot } = await operator.ask('chat:attach', { sessionId: 'ses_mcp_ops-laptop' })
  expect(snapshot.entries).toContainEqual(
    expect.objectContaining({ result: expect.stringContaining('Nothing was run') }),
  )
  expect(homelab.controls.effects).toEqual([])
})

test('a disk that is full when a client is to get its id, or hangs up, ends neither JARVIS nor the other’s wait', async () => {
  const clock = createFakeClock(noon())
  const jarvis = await startJarvis({ clock })
  const token = createToken(jarvis)
  const client = await connectMcp(jarvis, token)
  const database = openDatabase(join(jarvis.dataDir, 'jarvis.db'))
  for (const change of ['INSERT ON kept_runs', 'UPDATE OF status ON runs']) {
    database.sql.exec(`CREATE TRIGGER "full: ${change}" BEFORE ${change} BEGIN SELECT RAISE(ABORT, 'full'); END`)
  }
  database.close()
  const waiting = client.callTool(stop103)
  const { toolUseId } = await firstCard(jarvis)
  // When a client that asked for no progress is told that it waits.
  await clock.advance(45_000)
  await decide(jarvis, toolUseId, { confirmed: false })
  expect(JSON.stringify(await waiting)).toContain('denied')

  const gone = new AbortController()
  const call = { name: 'stop_container', arguments: { vmid: 105 } }
  const asked = fetch(`${jarvis.url}/mcp`, { ...currentRequest(token, 'tools/call', call), signal: gone.signal })
  const card = await firstCard(jarvis)
  gone.abort()
  await expect(asked).rejects.toThrow()
  await expect
    .poll(async () => (await jarvis.rest('/api/confirmations')).json())
    .toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ toolUseId: card.toolUseId, decision: 'cancelled' })]),
    })
  expect(jarvis.controls.effects).toEqual([])
})

const revoking: [where: string, name: string, revoke: () => Promise<unknown>][] = [
  ['in the dashboard', 'gone', () => jarvis.rest('/api/mcp-tokens/gone', { method: 'DELETE' })],
  ['by the command line', 'away', async () => revokeToken(jarvis, 'away')],
]
test('with its revoked token goes what a client that asks later left waiting', async () => {
  const changes = jarvis.changesFromNow()
  const judge = async ([, name, revoke]: (typeof revoking)[number]) => {
    const token = createToken(jarvis, { name })
    const asked = await askCurrent(jarvis, token, 'tools/call', stop103, withTasks)
    const { toolUseId } = await firstCard(jarvis)
    await revoke()
    // One of the same name has nothing of it.
    const another = createToken(jarvis, { name })
    const { taskId } = asked.result as { taskId: string }
    expect(await askCurrent(jarvis, another, 'tasks/get', { taskId }, withTasks)).toMatchObject({
      error: { code: -32_602 },
    })
    const told = { name: 'get_confirmation', arguments: { id: toolUseId } }
    expect((await askCurrent(jarvis, another, 'tools/call', told)).result).toMatchObject({ isError: true })
    expect((await decide(jarvis, toolUseId, { confirmed: true })).ok).toBe(false)
    const { items } = (await (await jarvis.rest('/api/confirmations')).json()) as { items: { toolUseId: string }[] }
    expect(items.find((item) => item.toolUseId === toolUseId)).toMatchObject({
      decision: 'cancelled',
      note: expect.stringMatching(/^Its token was revoked/),
    })
    expect(changes()).toEqual([])
  }
  expect(await failingRows(revoking, judge)).toEqual([])
})

test('a call of a client whose token has expired cannot be approved', async () => {
  const changes = still.changesFromNow()
  const token = createToken(still, { name: 'gone', expiresInMs: 60_000 })
  await askCurrent(still, token, 'tools/call', stop103, withTasks)
  const { toolUseId } = await firstCard(still)
  await clock.advance(60_000)
  expect((await decide(still, toolUseId, { confirmed: true })).ok).toBe(false)
  expect(changes()).toEqual([])
})

test('a change that has begun is not taken back: cancelling it is refused, or changes nothing', async () => {
  const token = createToken(still, { name: 'begun' })
  const client = await connectMcp(still, token)
  const { taskId } = await beginOlder(client)
  const { toolUseId, sessionId } = await firstCard(still)
  const operator = await still.connect()
  await operator.ask('chat:attach', { sessionId })
  await decide(still, toolUseId, { confirmed: true })
  await operator.next('chat:tool_use')
  await expect(client.experimental.tasks.cancelTask(taskId)).rejects.toThrow('has begun')
  await askCurrent(still, token, 'tasks/cancel', { taskId }, withTasks)
  expect(await client.experimental.tasks.getTask(taskId)).toMatchObject({
    status: 'working',
    statusMessage: 'Is being run.',
  })
  while ((await client.experimental.tasks.getTask(taskId)).status === 'working') await clock.advance(1_000)
  expect(await client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema)).toMatchObject({ isError: false })
  expect(still.guest(103)?.status).toBe('stopped')
})

test('a client hears that its call waits, and once it is approved that it runs', async () => {
  const clock = createFakeClock(noon())
  const jarvis = await startJarvis({ clock, speed: 1 })
  const client = await connectMcp(jarvis, createToken(jarvis))
  const heard: (string | undefined)[] = []
  const waits = 'Waiting in the JARVIS dashboard'
  const answer = client.callTool(stop103, undefined, { onprogress: ({ message }) => void heard.push(message) })
  const { toolUseId } = await firstCard(jarvis)
  await clock.advance(5_000)
  await expect.poll(() => heard.filter((message) => message === waits)).toHaveLength(2)
  await decide(jarvis, toolUseId, { confirmed: true })
  await expect.poll(() => heard.at(-1)).not.toBe(waits)
  heard.length = 0
  for (let second = 0; second < 30; second += 1) await clock.advance(1_000)
  expect((await answer).isError).toBe(false)
  expect(heard).toContain('Still running')
  expect(heard).not.toContain(waits)
})

import type { JournalEntry } from 'protocol'
import { expect, test } from 'vitest'
import { offeredInDemo } from './support/house.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

test('health needs no token', async () => {
  const jarvis = await startJarvis()
  const response = await fetch(`${jarvis.url}/health`)
  expect(await response.json()).toEqual({ status: 'ok', version: expect.any(String), uptime: expect.any(Number) })
})

test('what Prometheus reads needs a token, is well formed and counts what waits', async () => {
  const jarvis = await startJarvis({ model: scripted(calls(['stop_vm', { vmid: 101 }])) })
  expect((await fetch(`${jarvis.url}/metrics`)).status).toBe(401)
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Stop it.' })
  await operator.next('chat:confirm_needed')

  const response = await jarvis.rest('/metrics')
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  const typed = new Set(text.match(/(?<=^# TYPE )\S+/gm))
  for (const line of text
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('# '))) {
    const [, name = ''] = /^(\w+)(?:\{(?:\w+="(?:[^"\\]|\\.)*",?)+\})? -?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.exec(line) ?? []
    expect(typed, line).toContain(name)
  }
  expect(text).toContain('\njarvis_confirmations_waiting 1\n')
  expect(text).toContain('\njarvis_sockets{namespace="chat"} 1\n')
  expect(text).toContain('\njarvis_guest_up{vmid="101",name="homeassistant",type="vm",node="Home"} 1\n')
})

test('every tool is listed with schema and tier', async () => {
  const jarvis = await startJarvis()
  const { items } = (await (await jarvis.rest('/api/tools')).json()) as {
    items: { name: string; tier: string; inputSchema: object }[]
  }
  // homelab-tools.test.ts holds the tier of each tool.
  expect(items.map(({ name, tier }) => `${tier} ${name}`)).toEqual(
    offeredInDemo().map(({ name, tier }) => `${tier} ${name}`),
  )
  for (const { inputSchema } of items)
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
})

test.each([
  ['get_vms', {}, 'green'],
  ['execute_ssh', { node: 'pve', command: 'df -h' }, 'yellow'],
  ['execute_ssh', { node: 'pve', command: 'df -h; reboot' }, 'black'],
  ['restart_vm', { vmid: 101 }, 'red'],
  ['restart_vm', { vmid: 101, sudo: true }, 'black'],
  ['wake_node', { node: 'agent1' }, 'black'],
  ['no_such_tool', {}, 'black'],
])('%s %j is %s, and asking runs nothing', async (name, input, tier) => {
  const jarvis = await startJarvis()
  const response = await jarvis.rest(`/api/tools/${name}/classify`, { method: 'POST', json: { input } })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ tier, rule: expect.any(String), reason: expect.any(String) })
  expect(jarvis.controls.effects).toEqual([])
})

test('a session is made, renamed, listed, exported and deleted', async () => {
  const jarvis = await startJarvis({ model: scripted(calls(['get_cluster_status', {}]), says('All **well**.')) })
  const created = (await (await jarvis.rest('/api/sessions', { method: 'POST', json: {} })).json()) as {
    id: string
    title: string
  }
  const operator = await jarvis.connect()
  await operator.ask('chat:attach', { sessionId: created.id })
  await operator.ask('chat:send', { sessionId: created.id, message: 'How are things?' })
  expect(await operator.next('chat:title')).toMatchObject({ title: 'How are things?' })
  await operator.next('chat:done')

  const path = `/api/sessions/${created.id}`
  const renamed = await jarvis.rest(path, { method: 'PATCH', json: { title: 'Monday' } })
  expect(await renamed.json()).toMatchObject({ title: 'Monday', isRunning: false, pendingCount: 0 })
  expect(await (await jarvis.rest('/api/sessions')).json()).toMatchObject({
    items: [{ id: created.id, title: 'Monday' }],
  })

  const markdown = await (await jarvis.rest(`${path}/export`)).text()
  expect(markdown).toContain('# Monday')
  expect(markdown).toContain('All **well**.')
  const lines = (await (await jarvis.rest(`${path}/export?format=jsonl`)).text()).trim().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
    'user',
    'assistant',
    'tool_use',
    'tool_result',
    'assistant',
    'done',
  ])

  expect((await jarvis.rest(path, { method: 'DELETE' })).status).toBe(204)
  expect((await jarvis.rest(path)).status).toBe(404)
  // The journal says which one it was, and keeps no words of what is gone but those it had.
  const { items } = (await (await jarvis.rest('/api/journal?kind=session')).json()) as { items: JournalEntry[] }
  expect(items.map(({ body }) => body)).toEqual([
    { sessionId: created.id, change: 'deleted', by: 'operator' },
    { sessionId: created.id, change: 'renamed', title: 'Monday', by: 'operator' },
  ])

  const title = 'The token is ghp_abcdefghijklmnopqrstuvwxyz0123456789'
  const hushed = await jarvis.rest('/api/sessions', { method: 'POST', json: { title } })
  expect(await hushed.json()).toMatchObject({ title: 'The token is [redacted]' })
})

test('deleting a session withdraws its cards', async () => {
  const jarvis = await startJarvis({ model: scripted(calls(['stop_vm', { vmid: 103 }])) })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop 103.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  expect((await jarvis.rest(`/api/sessions/${sessionId}`, { method: 'DELETE' })).status).toBe(204)
  expect(await operator.next('chat:confirm_resolved')).toMatchObject({ toolUseId, decision: 'cancelled' })
  expect(
    (await jarvis.rest(`/api/confirmations/${toolUseId}`, { method: 'POST', json: { confirmed: true } })).status,
  ).toBe(404)
  expect(jarvis.controls.effects).toEqual([])
})

test('the cluster is pushed on connect and on change, and the feed tells of it', async () => {
  const jarvis = await startJarvis()
  const cluster = await jarvis.connect('/cluster')
  const events = await jarvis.connect('/events')
  const snapshot = (await cluster.next('cluster:snapshot' as never)) as unknown as {
    cluster: { nodes: object[]; guests: object[] }
  }
  expect(snapshot.cluster.nodes).toHaveLength(4)
  jarvis.controls.setStatus(104, 'stopped')
  let found: unknown
  while (found === undefined) {
    const update = (await cluster.next('cluster:update' as never)) as unknown as {
      guests?: { vmid: number; status: string }[]
    }
    found = update.guests?.find(({ vmid, status }) => vmid === 104 && status === 'stopped')
  }
  let line: { vmid?: number } = {}
  while (line.vmid !== 104) line = (await events.next('event' as never)) as unknown as { vmid?: number }
  expect(line).toMatchObject({ kind: 'guest', text: expect.stringContaining('stopped') })
})

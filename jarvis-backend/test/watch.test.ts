import type { AlertDetail, AlertHistory, AlertsReply, ChecksReply, PushMessage } from 'protocol'
import { expect, test } from 'vitest'
import type { PushSender } from '../src/channels/web-push/ports.ts'
import { run } from './support/data-dir.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const minuteMs = 60_000
const keys = { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) }

const read = async <T>(jarvis: TestJarvis, path: string): Promise<T> => (await (await jarvis.rest(path)).json()) as T
const alertsOf = async (jarvis: TestJarvis) => (await read<AlertsReply>(jarvis, '/api/alerts')).items
/** Resolves once each check that is on has run, which takes a turn of the event loop for each request to the cluster. */
async function swept(jarvis: TestJarvis): Promise<void> {
  const left = async () => {
    const { items } = await read<ChecksReply>(jarvis, '/api/checks')
    return items.filter(({ lastAt, state }) => lastAt === undefined && state !== 'off')
  }
  await expect.poll(left).toEqual([])
}

const idsOf = async (jarvis: TestJarvis) =>
  (await alertsOf(jarvis)).map(({ check, object, state }) => `${check} ${object.id} ${state}`)

test('a node that goes away fires after its time, and ends when it is back', async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 23, 9))
  const sent: PushMessage[] = []
  const push: PushSender = {
    publicKey: 'the-public-key',
    async send(_to, { payload }) {
      sent.push(JSON.parse(payload) as PushMessage)
      return { kind: 'sent' }
    },
  }
  const jarvis = await startJarvis({ clock, push, checksRun: true })
  await jarvis.rest('/api/push', {
    method: 'POST',
    json: { endpoint: 'https://push.example.org/a', keys, label: 'phone' },
  })
  await clock.advance(minuteMs)
  await swept(jarvis)
  await clock.advance(minuteMs)
  const soFar = sent.length
  const before = await idsOf(jarvis)
  expect(before.filter((line) => line.startsWith('node-away'))).toEqual([])

  jarvis.controls.setNodeOffline('agent1', true)
  await clock.advance(2_000)
  expect(await idsOf(jarvis)).toContain('node-away node/agent1 pending')
  await clock.advance(31_000)
  const [away] = (await alertsOf(jarvis)).filter(({ check }) => check === 'node-away')
  expect(away).toMatchObject({ state: 'firing', severity: 'failed', sentence: 'agent1 is offline.' })
  await clock.advance(minuteMs)
  const told = (await alertsOf(jarvis)).find(({ id }) => id === away?.id)?.told
  expect(told).toMatchObject([{ what: 'fired', words: '1 device' }])
  expect(sent.slice(soFar)).toEqual([
    {
      title: 'Alert',
      body: expect.stringMatching(/^agent1 is offline\./) as string,
      tag: `alert-${away?.id}`,
      path: `/alerts?alert=${away?.id}`,
    },
  ])

  jarvis.controls.setNodeOffline('agent1', false)
  await clock.advance(2 * minuteMs)
  expect((await idsOf(jarvis)).filter((line) => line.startsWith('node-away'))).toEqual([])
  const { items } = await read<AlertHistory>(jarvis, '/api/alerts/history?check=node-away')
  expect(items).toMatchObject([{ id: away?.id, state: 'resolved', ending: 'offline → online' }])

  const detail = await read<AlertDetail>(jarvis, `/api/alerts/${away?.id}`)
  expect(detail).toMatchObject({
    title: 'Node away',
    state: 'resolved',
    evidence: { read: 'GET /cluster/status', before: { count: 1 } },
  })
  expect(detail.told.map(({ what, words }) => `${what}: ${words}`)).toEqual(['fired: 1 device', 'resolved: 1 device'])
  const hot = (await alertsOf(jarvis)).find(({ check }) => check === 'node-heat')
  const { evidence, chart, changes, runbooks, missing } = await read<AlertDetail>(jarvis, `/api/alerts/${hot?.id}`)
  expect(evidence.values.length).toBeGreaterThan(1)
  expect(chart).toEqual({ series: 'node/pve', field: 'temperatureC', limit: 80, clears: 75 })
  expect(changes.some(({ isOurs, by }) => !isOurs && by.includes('@pam'))).toBe(true)
  expect([runbooks, missing].every(Array.isArray)).toBe(true)
  expect((await jarvis.rest('/api/alerts/alr_none')).status).toBe(404)
})

test('every check says what it reads, its limit and what it saw, and one that is off ends its alerts', async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 23, 9))
  const jarvis = await startJarvis({ clock, checksRun: true })
  await clock.advance(minuteMs)
  const { items, problems } = await read<ChecksReply>(jarvis, '/api/checks')
  expect(problems).toEqual([])
  expect(items.every(({ reads, limit }) => reads !== '' && limit !== '')).toBe(true)
  const eachMinute = items.filter(({ everyMs }) => everyMs === minuteMs)
  expect(new Set(eachMinute.map(({ lastAt }) => lastAt))).toEqual(new Set([clock.now()]))
  const backups = items.find(({ id }) => id === 'backup-old')
  expect(backups).toMatchObject({ state: 'alerts', problem: expect.stringContaining('not seen: ') })

  const off = await jarvis.rest('/api/checks/backup-old', { method: 'PATCH', json: { isOff: true } })
  expect(await off.json()).toMatchObject({ state: 'off', firing: 0 })
  await clock.advance(minuteMs)
  expect((await idsOf(jarvis)).filter((line) => line.startsWith('backup-old'))).toEqual([])
  const { items: ended } = await read<AlertHistory>(jarvis, '/api/alerts/history')
  expect(new Set(ended.map(({ ending }) => ending))).toEqual(new Set(['operator switched the check off.']))
  expect(ended.length).toBe(backups?.firing)
  expect((await read<AlertsReply>(jarvis, '/api/alerts')).checks.on).toBe(items.length - 1)
  const refused = await jarvis.rest('/api/checks/backup-old', {
    method: 'PATCH',
    json: { isOff: false },
    role: 'viewer',
  })
  expect(refused.status).toBe(403)
})

test('a window is refused where it makes no sense, and kept and removed where it does', async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 23, 9))
  const jarvis = await startJarvis({ clock, checksRun: true })
  const add = (json: object, role: 'operator' | 'viewer' = 'operator') =>
    jarvis.rest('/api/windows', { method: 'POST', json, role })
  const now = clock.now()
  const good = { name: 'New disk', objects: ['node/pve'], from: now, until: now + 60_000 }
  const refused: [object, string][] = [
    [{ ...good, until: now }, 'end after'],
    [{ ...good, from: now - 9, until: now - 1 }, 'in the future'],
    [{ ...good, until: now + 31 * 24 * 3_600_000 }, '30 days'],
    [{ ...good, objects: ['pve'] }, 'must be an id'],
    [{ ...good, objects: [] }, 'objects'],
  ]
  for (const [body, why] of refused) {
    const response = await add(body)
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(why)])
  }
  expect((await add(good, 'viewer')).status).toBe(403)
  const { id } = (await (await add(good)).json()) as { id: string }
  expect(await read(jarvis, '/api/windows')).toEqual({ items: [{ id, ...good, by: 'operator' }] })
  expect((await jarvis.rest(`/api/windows/${id}`, { method: 'DELETE' })).status).toBe(204)
  expect((await jarvis.rest(`/api/windows/${id}`, { method: 'DELETE' })).status).toBe(404)
  expect(await read(jarvis, '/api/windows')).toEqual({ items: [] })
  const { items } = await read<{ items: { body: { change: string } }[] }>(jarvis, '/api/journal?kind=alert')
  expect(items.map(({ body }) => body.change)).toEqual(['window_removed', 'window_added'])
})

test('tool, metrics and command line tell the same alerts', async () => {
  // The command line, a process of its own, has the real time.
  const clock = createFakeClock(Date.now())
  const model = scripted(
    calls(['list_alerts', {}]),
    says('Well.'),
    calls(['list_alerts', { ended: true }]),
    says('Well.'),
  )
  const jarvis = await startJarvis({ clock, model })
  await clock.advance(minuteMs)
  await swept(jarvis)
  const alerts = await alertsOf(jarvis)
  const screen = await jarvis.connect()
  const ask = async () => {
    await screen.ask('chat:send', { message: 'What is wrong?' })
    return (await screen.next('chat:tool_result')).result
  }
  const told = await ask()
  expect(told).toContain(`${alerts.length} alerts. `)
  for (const { sentence } of alerts) expect(told).toContain(sentence)

  const metrics = await (await jarvis.rest('/metrics')).text()
  expect(metrics.match(/^jarvis_alert\{/gm)).toHaveLength(alerts.length)
  expect(metrics).toContain(
    'jarvis_alert{check="storage-full",object="storage/pve/nvme-fast",severity="look",state="firing",hidden="false"} 1',
  )
  expect(metrics).toMatch(/^jarvis_check_state\{check="quorum",state="ok"\} 1$/m)

  const cli = async (...args: string[]) => (await run(jarvis.dataDir, 'cli', ...args).ended).output
  const listed = await cli('alerts')
  for (const { sentence } of alerts) expect(listed).toContain(sentence)
  expect(await cli('checks')).toMatch(/^storage-full +Storage full: looked .* ago/m)
  const added = await cli('windows', 'add', 'New disk', '--objects', 'storage/pve/nvme-fast', '--for', '2h')
  const [id = ''] = /win_\w+/.exec(added) ?? []
  expect((await alertsOf(jarvis)).find(({ check }) => check === 'storage-full')?.silenced).toMatchObject({
    window: id,
    by: 'cli',
  })
})

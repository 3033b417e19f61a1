import { hostname } from 'node:os'
import type { FakeRights } from 'fake-proxmox/server/rights'
import { systemClock } from 'node-kit/clock'
import { expect, test } from 'vitest'
import { createSshShell } from '../src/homelab/ssh/index.ts'
import { calm, startProxmox } from './support/start-proxmox.ts'

const guestIn = (vmid: number) => (state: { guests: { vmid: number }[] }) =>
  state.guests.find((guest) => guest.vmid === vmid) as never

test('strings are numbers, 0 and absent are no, shared storage is one', async () => {
  const { fake, cluster, until, read } = await startProxmox()
  const { guests, nodes, storages, name, isQuorate, missing } = await read()
  expect(guests.map(({ vmid, type }) => [vmid, type])).toContainEqual([200, 'ct'])
  expect(guests.find(({ vmid }) => vmid === 200)).toMatchObject({ cpuCount: 2, diskBytes: 2 * 1024 ** 3, isHa: false })
  expect(guests.find(({ vmid }) => vmid === 100)).toMatchObject({ tags: ['prod', 'web'], diskBytes: null })
  expect(guests.find(({ vmid }) => vmid === 100)?.isTemplate).toBeUndefined()
  expect(guests.find(({ vmid }) => vmid === 9_000)?.isTemplate).toBe(true)
  expect(guests.find(({ vmid }) => vmid === 103)).toMatchObject({ isHa: true, haState: 'started' })
  expect(guests.find(({ vmid }) => vmid === 101)?.isProtected).toBe(true)
  expect(nodes.map((node) => [node.name, node.status, node.isProtected])).toEqual([
    ['pve1', 'online', true],
    ['pve2', 'online', false],
    ['pve3', 'online', false],
    ['pve4', 'online', false],
  ])
  expect(storages.filter((storage) => storage.name === 'nas')).toEqual([
    expect.objectContaining({ type: 'nfs', content: ['backup', 'images'], isActive: true }),
  ])
  expect(storages.filter((storage) => storage.name === 'local').map(({ node }) => node)).toHaveLength(4)
  expect({ name, isQuorate, missing }).toEqual({ name: 'fake', isQuorate: true, missing: [] })
  const warm = await until((state) =>
    state.nodes.every(({ temperatureC, load1 }) => temperatureC === 54 && load1 === 0.52),
  )
  expect(warm.nodes).toHaveLength(4)
  expect(await cluster.nodeDetail('pve2', calm())).toMatchObject({
    kernel: '6.17.2-1-pve',
    cpuCount: 16,
    load: [0.52, 0.48, 0.4],
  })
  await fake.control.addFault({
    kind: 'says',
    text: '{"data":{"loadavg":["0.1"]}}',
    match: '/nodes/pve2/status',
    times: 9,
  })
  expect(await cluster.nodeDetail('pve2', calm())).toEqual({ name: 'pve2' })
})

test('the newest backup of each guest is known, and a paused VM is seen paused', async () => {
  const { until } = await startProxmox()
  const state = await until(
    ({ guests }) =>
      guests.some(({ status }) => status === 'paused') && guests.some(({ backupAt }) => typeof backupAt === 'number'),
  )
  expect(state.guests.filter(({ status }) => status === 'paused').map(({ vmid }) => vmid)).toEqual([104])
  const ages = state.guests.flatMap(({ vmid, backupAt }) =>
    typeof backupAt !== 'number' ? [] : [[vmid, Math.round((state.at - backupAt) / 3_600_000)]],
  )
  expect(ages).toEqual([
    [100, 24],
    [101, 120],
    [200, 20],
    [300, 24],
  ])
})

test('a paused VM never reads running: not at the first look, and not while the list lags behind its pause', async () => {
  const { fake, cluster, read, until } = await startProxmox()
  const seen: unknown[] = []
  cluster.watch(() => seen.push(cluster.state().guests.find(({ vmid }) => vmid === 104)?.status))
  await read()
  await until(({ guests }) => guests.some(({ vmid, status }) => vmid === 104 && status === 'paused'))
  expect(seen).not.toContain('running')
  await fake.control.changeGuest(100, { status: 'paused' }, false)
  await fake.control.addTask({ node: 'pve1', type: 'qmsuspend', id: '100' }, 'OK')
  await until(({ tasks }) => tasks.some(({ type }) => type === 'qmsuspend'))
  expect(cluster.state().guests.find(({ vmid }) => vmid === 100)?.status).toBe('paused')
})

test('a dead node costs its own figures and nothing else, at once', async () => {
  const { fake, cluster, until, read } = await startProxmox({ proxyDelayMs: 30_000 })
  await read()
  await fake.control.setNode('pve4', false)
  const state = await until(({ missing }) => missing.includes('pve4 is offline'))
  expect(state.nodes.find(({ name }) => name === 'pve4')).toMatchObject({
    status: 'offline',
    lastSeenAt: expect.any(Number),
  })
  expect(state.nodes.find(({ name }) => name === 'pve4')?.cpuRatio).toBeUndefined()
  const since = performance.now()
  await expect(cluster.nodeDetail('pve4', calm())).rejects.toThrow('pve4 is offline.')
  expect((await cluster.backups({}, calm())).missing).toEqual(['pve4 is offline'])
  expect((await cluster.tasks({ limit: 20 }, calm())).missing).toEqual(['pve4 is offline'])
  // To ask the node would take its 30 s.
  expect(performance.now() - since).toBeLessThan(20_000)
})

test('a node that died since the last look ends its calls in time, not as a wrong token', async () => {
  const { fake, cluster, read } = await startProxmox()
  await read()
  await fake.control.setNode('pve3', false)
  await expect(cluster.nodeDetail('pve3', calm())).rejects.toMatchObject({
    code: 'cluster_unreachable',
    message: 'pve3 cannot be reached by the rest of the cluster (595, No route to host).',
  })
})

test('guests of a dead node are unknown at once, whatever the list says, and keep their names and sizes', async () => {
  const { fake, until, read } = await startProxmox()
  await read()
  await fake.control.setNode('pve4', false)
  const soon = await until(({ missing }) => missing.includes('pve4 is offline'))
  const unknown = { name: 'far', node: 'pve4', status: 'unknown', uptimeS: null, cpuRatio: null, cpuCount: 4 }
  expect(guestIn(300)(soon)).toMatchObject(unknown)
  // Five minutes later the list has forgotten them.
  const forgottenAt = soon.at + 310_000
  expect(guestIn(300)(await until(({ at }) => at > forgottenAt))).toMatchObject(unknown)
})

test('where the statistics of a node stopped, its figures are old and nothing is said to be away', async () => {
  const { fake, cluster, until, read } = await startProxmox()
  await read()
  await fake.control.setStatistics('pve2', false)
  const state = await until(({ missing }) => missing.some((line) => line.startsWith('figures of pve2')))
  expect(state.missing).toEqual([
    expect.stringMatching(
      /^figures of pve2, its guests and storages stopped at \d{4}-\d\d-\d\d \d\d:\d\d UTC: .*pvestatd/,
    ),
  ])
  expect(state.nodes.find(({ name }) => name === 'pve2')).toMatchObject({ status: 'online' })
  expect(guestIn(201)(state)).toMatchObject({ name: 'proxy', status: 'unknown' })
  const active = (name: string) => state.storages.filter((one) => one.name === name).map(({ isActive }) => isActive)
  expect([active('local'), active('nas')]).toEqual([[true, null, true, true], [true]])
  expect(await cluster.backups({ vmid: 101 }, calm())).toMatchObject({ items: [{ storage: 'local' }], missing: [] })
  await fake.control.setStatistics('pve2', true)
  expect((await until(({ missing }) => missing.length === 0)).storages.every(({ isActive }) => isActive)).toBe(true)
})

test('SSH that is not set up leaves temperatures unknown, and is nothing that failed', async () => {
  const asked = new Set<string>()
  const { until } = await startProxmox({}, () => ({
    shell: createSshShell({
      keyPath: undefined,
      agentSocket: undefined,
      user: 'root',
      knownHostsPath: '/dev/null',
      clock: systemClock,
      quote: String,
      addressOf(node) {
        asked.add(node)
        return { host: '127.0.0.1', port: 9 }
      },
    }),
  }))
  const all = await until(() => asked.size === 4)
  const later = await until(({ at }) => at > all.at + 15_000)
  expect(later.nodes.map(({ temperatureC }) => temperatureC)).toEqual([null, null, null, null])
  expect(later.missing).toEqual([])
})

test.each<[string, FakeRights, (string | RegExp)[]]>([
  [
    'nothing',
    {},
    [
      'quorum cannot be seen by this token (it needs Sys.Audit on /)',
      'guests: none visible to this token (it needs VM.Audit on /vms)',
      'storages: none visible to this token (it needs Datastore.Audit on /storage)',
      'figures of the nodes: none visible to this token (it needs Sys.Audit on /nodes)',
    ],
  ],
  [
    'one guest of many',
    { '/': { 'Sys.Audit': 1, 'Datastore.Audit': 1 }, '/vms/100': { 'VM.Audit': 1 } },
    ['guests beyond those listed: the list goes only as far as this token sees (it has VM.Audit on some of /vms)'],
  ],
  [
    'no task of others',
    { '/vms': { 'VM.Audit': 1 } },
    ['tasks beyond those listed: the list goes only as far as this token sees (it lacks Sys.Audit on /nodes)'],
  ],
  [
    'everything but backups',
    { '/': { 'Sys.Audit': 1, 'VM.Audit': 1, 'Datastore.Audit': 1 } },
    [/^backups on nas: none visible to this token \(it needs Datastore\.AllocateSpace and VM\.Backup/],
  ],
])('a token that may see %s says what it does not', async (_what, rights, lines) => {
  const { fake, cluster, until } = await startProxmox()
  await fake.control.setRights(rights ?? null)
  const state = await until(({ missing }) =>
    lines.every((line) => missing.some((said) => (typeof line === 'string' ? said === line : line.test(said)))),
  )
  expect(state.nodes).toHaveLength(4)
  expect(cluster.state().unreachableSince).toBeUndefined()
})

test('a token that sees all says nothing of an empty list', async () => {
  const { fake, until } = await startProxmox({ nodes: 2, guests: 0 })
  await fake.control.setRights({
    '/': { 'Sys.Audit': 1, 'VM.Audit': 1, 'Datastore.Audit': 1, 'Datastore.Allocate': 1 },
  })
  const state = await until(({ nodes, missing }) => nodes.length > 0 && missing.length === 0)
  expect(state.guests).toEqual([])
})

test('figures come more often while somebody watches', async () => {
  const { fake, cluster, clock, read } = await startProxmox()
  await read()
  const looksIn = async (ms: number) => {
    await fake.control.forgetRequests()
    await new Promise<void>((passed) => clock.after(ms, passed))
    return (await fake.control.requests())['GET /cluster/resources'] ?? 0
  }
  const stop = cluster.watch(() => {})
  const watched = await looksIn(60_000)
  stop()
  const stopIdle = cluster.watch(() => {}, 'idle')
  const unwatched = await looksIn(60_000)
  stopIdle()
  expect(watched).toBeGreaterThanOrEqual(6)
  expect(unwatched).toBeLessThanOrEqual(3)
  expect(unwatched).toBeGreaterThanOrEqual(1)
})

test.each([
  [
    'the node of its own name, where Proxmox is installed',
    { name: 'pve2', macs: new Set<string>(), isProxmox: true },
    { node: 'pve2' },
  ],
  [
    'the guest with its network card',
    { name: 'dns', macs: new Set(['bc:24:11:00:00:c8']), isProxmox: false },
    { node: 'pve1', vmid: 200 },
  ],
  [
    'that guest under another name too',
    { name: hostname(), macs: new Set(['bc:24:11:00:00:64']), isProxmox: false },
    { node: 'pve1', vmid: 100 },
  ],
])('JARVIS finds itself: %s', async (_what, host, self) => {
  const { until } = await startProxmox({}, () => ({ host }))
  expect((await until((state) => state.self !== undefined)).self).toEqual(self)
})

test('a guest of the same name with another network card is not JARVIS', async () => {
  const { fake, cluster, until } = await startProxmox({}, () => ({
    host: { name: 'dns', macs: new Set(['02:42:ac:11:00:02']), isProxmox: false },
  }))
  await until(({ guests }) => guests.some(({ backupAt }) => typeof backupAt === 'number'))
  await until(({ nodes }) => nodes.every(({ load1 }) => load1 !== undefined))
  expect(Object.keys(await fake.control.requests())).toContain('GET /nodes/pve1/lxc/200/config')
  expect(cluster.state().self).toBeUndefined()
})

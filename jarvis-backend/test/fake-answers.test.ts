import { request } from 'node:https'
import { expect, test } from 'vitest'
import { readPools } from '../src/homelab/operations/disks.ts'
import { failingRows } from './support/failing-rows.ts'
import { calm, startProxmox } from './support/start-proxmox.ts'

/** One request to the fake, with the status line and the body as they came. */
const ask = (url: string, authorization?: string) =>
  new Promise<{ status: number; phrase: string; server: string; text: string }>((resolve, reject) => {
    const headers = authorization === undefined ? {} : { authorization }
    const sent = request(url, { rejectUnauthorized: false, agent: false, headers }, async (answer) => {
      let text = ''
      for await (const piece of answer.setEncoding('utf8')) text += String(piece)
      const { statusCode: status = 0, statusMessage: phrase = '' } = answer
      resolve({ status, phrase, server: String(answer.headers.server), text })
    })
    sent.on('error', reject)
    sent.end()
  })

test('the fake’s front end answers as a Proxmox VE 9.2 did', async () => {
  const { fake } = await startProxmox({ denyDelayMs: 10, proxyDelayMs: 10 })
  const [url = ''] = fake.urls
  const own = `PVEAPIToken=${fake.tokenId}=${fake.tokenSecret}`
  const rows: [path: string, authorization: string | undefined, status: number, phrase: string, body: RegExp][] = [
    ['/', undefined, 200, 'OK', /<title>pve1 - Proxmox Virtual Environment<\/title>/],
    ['/api2/json/version', undefined, 401, 'No ticket', /^$/],
    ['/api2/json/version', 'rubbish', 401, 'Authentication failed!', /^$/],
    ['/api2/json/version', `${own}x`, 401, 'Authentication failed!', /^$/],
    ['/api2/json/version', 'PVEAPIToken=nobody@pve!x=1', 401, 'Authentication failed!', /^$/],
    ['/api2/json/version', own, 200, 'OK', /"release":"9\.2"/],
    ['/api2/json/nosuch', own, 501, "Method 'GET /nosuch' not implemented", /"data":null,"message":"Method .*\\n"/],
    [
      '/api2/json/version?bogus=1',
      own,
      400,
      'Parameter verification failed.',
      /"errors":\{"bogus":"property is not defined in schema/,
    ],
    [
      '/api2/json/nodes/pve1/qemu/998/config',
      own,
      500,
      "Configuration file 'nodes/pve1/qemu-server/998.conf' does not exist",
      /^\{"data":null,"message":"Configuration file .*\\n"\}$/,
    ],
  ]
  const judge = async ([path, authorization, status, phrase, body]: (typeof rows)[number]) => {
    const answer = await ask(`${url}${path}`, authorization)
    expect([answer.status, answer.phrase]).toEqual([status, phrase])
    expect(answer.text).toMatch(body)
    if (path !== '/') expect(answer.server).toBe('pve-api-daemon/3.0')
  }
  expect(await failingRows(rows, judge, ([path, given]) => `${path} with ${given}`)).toEqual([])
})

test('the fake’s lists have the rows and the kinds that a Proxmox VE 9.2 gives', async () => {
  const { fake, cluster } = await startProxmox({ denyDelayMs: 10, proxyDelayMs: 10 })
  const get = <T = Record<string, unknown>>(...path: string[]) =>
    cluster.api.get(path, {}, { signal: AbortSignal.timeout(20_000) }) as Promise<T>
  expect(await get('nodes', 'pve1', 'status')).toMatchObject({
    loadavg: [expect.any(String), expect.any(String), expect.any(String)],
    memory: { available: expect.any(Number) },
    'boot-info': { mode: expect.any(String) },
  })
  await fake.control.addTask({ node: 'pve1', type: 'vzdump', id: '' }, 'job errors')
  const [task] = await get<{ upid: string }[]>('cluster', 'tasks')
  expect(task).toMatchObject({ user: 'jarvis@pve', tokenid: 'jarvis', saved: '1', status: 'job errors', id: '' })
  expect(task?.upid).toMatch(/:vzdump::jarvis@pve!jarvis:$/)
  type Row = {
    type: string
    id: string
    name?: string
    status: string
    maxmem?: number
    maxdisk?: number
    node: string
  }
  const rows = () => get<Row[]>('cluster', 'resources')
  const zone = { id: 'network/pve1/zone/localnetwork', type: 'network', 'network-type': 'zone', status: 'ok' }
  expect(await rows()).toContainEqual(expect.objectContaining(zone))
  await fake.control.addGuest({ vmid: 950, type: 'qemu', name: 'fresh', node: 'pve1' })
  const fresh = (await rows()).find(({ id }) => id === 'qemu/950')
  expect(fresh).toMatchObject({ status: 'unknown' })
  expect(fresh).not.toHaveProperty('name')
  await fake.control.setStatistics('pve2', false)
  const stalled = (await rows()).filter(({ node, type }) => node === 'pve2' && type !== 'network')
  expect(new Set(stalled.map(({ status }) => status))).toEqual(new Set(['unknown']))
  expect(
    stalled.flatMap((row) => [row.name, row.maxmem, row.maxdisk]).filter((figure) => figure !== undefined),
  ).toEqual([])
  await fake.control.setRights({ '/': { 'VM.Audit': 1, 'Sys.Audit': 1 } })
  expect((await rows()).filter(({ type }) => type === 'network')).toEqual([])
})

test('the fake says what a Proxmox VE 9.2 says of pressure, of network cards and of a node without ZFS', async () => {
  const { fake, cluster } = await startProxmox()
  const get = (...path: string[]) => cluster.api.get(path, {}, calm())
  const current = await get('nodes', 'pve1', 'qemu', '100', 'status', 'current')
  expect(current).toMatchObject({
    pressurecpusome: expect.any(Number),
    pressurememoryfull: expect.any(Number),
    nics: { tap100i0: { netin: expect.any(Number), netout: expect.any(Number) } },
  })
  const nodes = [{ name: 'pve4', status: 'online' as const }]
  const read = () => readPools(cluster.api, nodes, calm().signal)
  await fake.control.setFact('pve4', 'isWithoutZfs', true)
  await expect(get('nodes', 'pve4', 'disks', 'zfs')).rejects.toMatchObject({
    status: 500,
    words: expect.stringContaining('zfsutils-linux not installed'),
  })
  // Such a node has no pool; nothing of it is unread.
  expect(await read()).toEqual({ items: [], missing: [], isUnread: false })
})

test('a lone node has no row of a cluster', async () => {
  const { cluster } = await startProxmox({ nodes: 1, guests: 0 })
  const status = await cluster.api.get(['cluster', 'status'], {}, { signal: AbortSignal.timeout(20_000) })
  expect(status).toEqual([expect.objectContaining({ type: 'node', nodeid: 0, online: 1 })])
})

import { expect, test } from 'vitest'
import { calm, connectionTo, startProxmox } from './support/start-proxmox.ts'

const wrong = Array.from({ length: 32 }, () => 'AA').join(':')

test('a certificate that is not pinned gets no request, and the message shows it', async () => {
  const { fake, until } = await startProxmox({}, (fake) => ({
    connection: { ...connectionTo(fake), fingerprints: [wrong] },
  }))
  const { missing } = await until((state) => state.unreachableSince !== undefined)
  expect(missing[0]).toContain('shows another certificate than the one accepted before, so the token was not sent')
  expect(missing[0]).toContain(fake.fingerprints[0])
  expect(await fake.control.requests()).toEqual({})
})

test('without pin and authority a self-signed certificate is not trusted, and the message says how to trust it', async () => {
  const { fake, until } = await startProxmox({}, (fake) => ({
    connection: { ...connectionTo(fake), fingerprints: [] },
  }))
  const { missing } = await until((state) => state.unreachableSince !== undefined)
  expect(missing[0]).toMatch(/is not trusted .* accept it in Settings, Proxmox, or put it into PVE_FINGERPRINT/)
  expect(missing[0]).toContain(fake.fingerprints[0])
  expect(await fake.control.requests()).toEqual({})
})

test('the cluster’s authority is enough', async () => {
  const { read } = await startProxmox({}, (fake) => ({
    connection: { ...connectionTo(fake), fingerprints: [], ca: fake.ca },
  }))
  expect((await read()).nodes).toHaveLength(4)
})

test('each address has its own certificate, and each is pinned', async () => {
  const { fake, cluster, until, read } = await startProxmox({ entries: 2 })
  await read()
  await fake.control.closeEntry(0)
  const state = await until(({ missing }) => missing.some((line) => /127\.0\.0\.1:\d+ refuses/.test(line)))
  expect(state.unreachableSince).toBeUndefined()
  expect(await cluster.power({ vmid: 100, action: 'stop' }, calm())).toMatchObject({ ok: true })
  expect(await fake.control.changes()).toHaveLength(1)
})

test('a certificate that changes while running stops the token, and another way in serves', async () => {
  const { fake, cluster, until, read } = await startProxmox({ entries: 2 })
  await read()
  const shown = await fake.control.renewCertificate(0)
  const { missing } = await until((state) => state.missing.some((line) => line.includes(shown)))
  expect(missing.join()).toContain('so the token was not sent')
  expect(cluster.state().unreachableSince).toBeUndefined()
})

test('while the cluster is unreachable its last state is shown with its age', async () => {
  const { fake, cluster, until, read } = await startProxmox()
  const before = await read()
  await fake.control.closeEntry(0)
  const state = await until(({ missing }) => missing.some((line) => /last seen ([5-9]|\d\d) s ago/.test(line)))
  expect(state.at).toBeGreaterThanOrEqual(before.at)
  expect(state.unreachableSince).toBeGreaterThan(state.at)
  expect(state.guests).toHaveLength(10)
  await expect(cluster.power({ vmid: 100, action: 'stop' }, calm())).rejects.toMatchObject({
    code: 'cluster_unreachable',
  })
  await expect(cluster.nodeDetail('pve1', calm())).rejects.toMatchObject({ code: 'cluster_unreachable' })
})

test('a wrong token is named as that, and is not tried every few seconds', async () => {
  const { fake, until, clock } = await startProxmox({}, (fake) => ({
    connection: { ...connectionTo(fake), tokenSecret: 'not-the-secret-at-all' },
  }))
  const { missing } = await until((state) => state.unreachableSince !== undefined)
  expect(missing[0]).toContain(
    `Proxmox at ${new URL(fake.urls[0] ?? '').host} refuses the API token ${fake.tokenId} (401): its secret is wrong, or the token or its user does not exist, is disabled or has expired`,
  )
  expect(missing.join()).not.toContain('not-the-secret-at-all')
  await new Promise<void>((passed) => clock.after(30_000, passed))
  // One of them reads the token's rights.
  expect(Object.values(await fake.control.requests()).reduce((a, b) => a + b)).toBe(4)
})

test.each([
  ['hangs', { kind: 'hang' }],
  ['breaks off in its body', { kind: 'half' }],
  ['closes the connection', { kind: 'closed' }],
  ['is no answer of Proxmox', { kind: 'garbage' }],
] as const)('an answer that %s ends in time, and the next look is whole', async (_what, fault) => {
  const { fake, until } = await startProxmox()
  // Waited for before it is caused: the look after the faulty one is whole again.
  const faulty = until(({ missing }) => missing.some((line) => line.startsWith('quorum cannot be read now')))
  await fake.control.addFault({ match: '/cluster/status', times: 1, ...fault })
  await fake.control.addFault({ match: '/nodes/pve2/status', times: 1, ...fault })
  const partial = await faulty
  expect(partial.guests).toHaveLength(10)
  await until(({ missing }) => missing.length === 0)
})

test('a JSON answer without a list or node is not taken for an empty cluster', async () => {
  const { fake, cluster, until, read } = await startProxmox()
  await read()
  for (const text of ['{"data":null}', '{"data":{"a":1}}', '[]']) {
    await fake.control.addFault({ kind: 'says', text, match: '/cluster/resources', times: 1 })
    const lost = await until((state) => state.unreachableSince !== undefined)
    expect(lost.guests).toHaveLength(10)
    expect(lost.missing[0]).toMatch(/^last seen \d+ s ago: What the cluster lists makes no sense$/)
    await until((state) => state.unreachableSince === undefined)
  }
  await fake.control.addFault({ kind: 'says', text: '{"data":"x"}', match: '/nodes/pve1/status', times: 9 })
  await expect(cluster.nodeDetail('pve1', calm())).rejects.toMatchObject({
    code: 'cluster_refused',
    message: 'What pve1 answered makes no sense.',
  })
})

test('a node’s name is checked before it can become a path', async () => {
  const { fake, cluster, read } = await startProxmox()
  await read()
  for (const name of ['PVE1', 'pve1/../..', 'pve1%2F..%2F..%2Faccess', '../../access/users', '.', '']) {
    await expect(cluster.nodeDetail(name, calm())).rejects.toMatchObject({ code: 'not_found' })
    await expect(cluster.restartService(name, 'cron', calm())).rejects.toMatchObject({ code: 'not_found' })
  }
  const paths = Object.keys(await fake.control.requests())
  expect(paths.filter((path) => /access\/users|PVE1|\.\./.test(path))).toEqual([])
  expect(await fake.control.changes()).toEqual([])
})

test('the token’s secret is in no message, whatever the server says', async () => {
  const { fake, cluster, read } = await startProxmox()
  await read()
  const phrase = `no such token ${fake.tokenSecret}`
  await fake.control.addFault({ kind: 'status', status: 500, phrase, match: '/nodes/pve1/status', times: 1_000 })
  await fake.control.addFault({ kind: 'status', status: 500, phrase, match: '/status/shutdown', times: 1_000 })
  const said = [
    await cluster.nodeDetail('pve1', calm()).catch((error: unknown) => String(error)),
    JSON.stringify(await cluster.power({ vmid: 100, action: 'stop' }, calm())),
    JSON.stringify(cluster.state()),
  ].join()
  expect(said).toContain('no such token [token]')
  expect(said).not.toContain(fake.tokenSecret)
})

test('who asks at once shares one look', async () => {
  const { fake, cluster, read } = await startProxmox()
  await read()
  await fake.control.forgetRequests()
  await Promise.all(
    Array.from({ length: 50 }, () => cluster.power({ vmid: 999, action: 'stop' }, calm()).catch(() => {})),
  )
  const requests = await fake.control.requests()
  // One that is under way when they ask, one that begins after, and at most one by the clock.
  expect(requests['GET /cluster/resources']).toBeLessThanOrEqual(3)
})

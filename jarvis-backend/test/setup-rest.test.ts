import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFakeProxmox } from 'fake-proxmox/server'
import { systemClock } from 'node-kit/clock'
import type { DoctorReply, JournalEntry, Status } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { readStartConfig } from '../src/config/settings-file.ts'
import { folder } from './support/data-dir.ts'
import { says, scripted } from './support/scripted-model.ts'
import { createSimulator } from './support/simulator.ts'
import { startJarvis } from './support/start-jarvis.ts'

async function start(env: Record<string, string> = {}) {
  const fake = await startFakeProxmox({ entries: 2, denyDelayMs: 10, proxyDelayMs: 10 })
  onTestFinished(fake.stop)
  const dataDir = folder()
  const jarvis = await startJarvis({
    dataDir,
    model: scripted(says(`It is ${fake.tokenSecret}.`)),
    env: { JARVIS_EMBEDDINGS: 'none', ...env },
  })
  const post = async (name: string, json: unknown, role: 'operator' | 'viewer' = 'operator') => {
    const response = await jarvis.rest(`/api/setup/${name}`, { method: 'POST', json, role })
    return { status: response.status, text: await response.text() }
  }
  const journal = async () => {
    const page = (await (await jarvis.rest('/api/journal?kind=setup')).json()) as { items: JournalEntry[] }
    return page.items.map(({ body }) => body)
  }
  const { tokenId, tokenSecret, fingerprints, urls } = fake
  return { fake, jarvis, dataDir, post, journal, cluster: { urls, tokenId, tokenSecret, fingerprints } }
}

test('a probe shows the certificate and the version before anything is said to the server', async () => {
  const { fake, post } = await start()
  const { status, text } = await post('probe', { url: fake.urls[0] })
  expect(status).toBe(200)
  expect(JSON.parse(text)).toMatchObject({
    url: fake.urls[0],
    fingerprint: fake.fingerprints[0],
    isTrusted: false,
    version: '9.2.11',
    node: 'pve1',
  })
  expect(Object.keys(await fake.control.requests())).toEqual(['GET /'])
  expect((await post('probe', { url: 'http://x' })).status).toBe(400)
  expect((await post('probe', { url: 'https://127.0.0.1:1' })).status).toBe(502)
})

test('a test tells which tools the token serves, a save counts from the next start, and nothing shows the secret', async () => {
  const { fake, jarvis, post, journal, dataDir, cluster } = await start()
  await fake.control.setRights({ '/': { 'VM.Audit': 1, 'Sys.Audit': 1 } })
  const tested = await post('test', cluster)
  expect(JSON.parse(tested.text)).toMatchObject({
    ok: false,
    entries: [{ version: '9.2.11' }, { version: '9.2.11' }],
    nodes: expect.arrayContaining([{ name: 'pve2', isOnline: true }]),
    tools: expect.arrayContaining([
      { toolName: 'get_vms', granted: 'all', missing: [] },
      { toolName: 'stop_vm', granted: 'none', missing: ['VM.PowerMgmt on /vms'] },
    ]),
    fix: expect.stringContaining('pveum role modify JARVIS'),
  })
  const status = async () => (await (await jarvis.rest('/api/status')).json()) as Status
  expect((await status()).nextStart).toBeUndefined()
  const saved = await post('save', cluster)
  expect(await status()).toMatchObject({ isDemoCluster: true, nextStart: { urls: cluster.urls, hasNewSsh: false } })
  const path = join(dataDir, 'settings.env')
  expect(JSON.parse(saved.text)).toEqual({ savedTo: path, needsRestart: true })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(path, 'utf8')).toMatch(/^PVE_TOKEN_SECRET=sealed:v1:/m)
  expect(readFileSync(path, 'utf8')).not.toContain(cluster.tokenSecret)

  const kept = await journal()
  expect(kept.map((body) => (body as { change: string }).change)).toEqual(['saved', 'tested'])
  const shown = JSON.stringify([kept, tested.text, saved.text, await (await jarvis.rest('/api/logs')).json()])
  expect(shown).not.toContain(cluster.tokenSecret)
  // From now on it is a secret wherever it turns up.
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Hello.' })
  await screen.next('chat:done')
  const exported = await (await jarvis.rest(`/api/sessions/${sessionId}/export`)).text()
  expect(exported).toContain('It is [redacted]')
  expect(exported).not.toContain(cluster.tokenSecret)

  const next = readStartConfig({ JARVIS_DATA_DIR: dataDir })
  expect(next).toMatchObject({ clusterSource: 'settings', proxmox: { ...cluster, ca: undefined } })
  expect(next.secrets).toContain(cluster.tokenSecret)
  // A cluster in the environment replaces the saved one whole: no token goes to another server.
  expect(() => readStartConfig({ JARVIS_DATA_DIR: dataDir, PVE_URL: 'https://other:8006' })).toThrow(
    /PVE_TOKEN_ID must/,
  )

  expect((await jarvis.rest('/api/setup', { method: 'DELETE', role: 'viewer' })).status).toBe(403)
  expect((await jarvis.rest('/api/setup', { method: 'DELETE' })).status).toBe(204)
  expect(readFileSync(path, 'utf8')).not.toContain('PVE_')
  expect((await status()).nextStart).toBeUndefined()
  expect((await journal())[0]).toMatchObject({ change: 'forgotten', urls: cluster.urls })
})

test('a wrong certificate gets no token, and a wrong token is said to be wrong', async () => {
  const { fake, post, cluster } = await start()
  const pinned = JSON.parse((await post('test', { ...cluster, fingerprints: ['AB'.repeat(32)] })).text)
  expect(pinned).toMatchObject({ ok: false, entries: [{ problem: expect.stringMatching(/token was not sent/) }, {}] })
  expect(await fake.control.requests()).toEqual({})
  const wrong = await post('test', { ...cluster, tokenSecret: 'wrong-secret-0123' })
  expect(JSON.parse(wrong.text).entries[0].problem).toMatch(/401/)
  expect(wrong.text).not.toContain('wrong-secret')
  // The message names no variable, because the person typed the value.
  expect(await post('test', { ...cluster, tokenId: 'root' })).toEqual({
    status: 400,
    text: expect.stringContaining('The token id must be user@realm!name'),
  })
})

test('what was asked, queued and granted of one cluster ends where another is connected, and a restart alone ends nothing', async () => {
  const dataDir = folder()
  const begin = (env: Record<string, string> = {}) =>
    startJarvis({ dataDir, env: { JARVIS_EMBEDDINGS: 'none', ...env }, homelab: lab })
  const lab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })
  const demo = await begin()
  const screen = await demo.connect()
  const ask = async (vmid: number) => {
    const { sessionId } = await screen.ask('chat:send', { message: `/stop_vm vmid=${vmid}` })
    const { toolUseId } = await screen.next('chat:confirm_needed')
    return { sessionId, toolUseId }
  }
  const granted = await ask(141)
  const standing = async ({ rest }: typeof demo) => {
    const listed = async (path: string) =>
      ((await (await rest(path)).json()) as { items: { decision?: string }[] }).items
    const cards = await listed('/api/confirmations')
    const pending = cards.filter(({ decision }) => decision === undefined)
    return { pending: pending.length, grants: (await listed('/api/grants')).length }
  }
  await demo.rest(`/api/confirmations/${granted.toolUseId}`, {
    method: 'POST',
    json: { confirmed: true, grant: { minutes: 60, uses: 3 } },
  })
  await screen.next('chat:done')
  const { sessionId, toolUseId } = await ask(103)
  await screen.ask('chat:send', { sessionId, message: '/stop_vm vmid=101' })
  await demo.stop()

  const again = await begin()
  expect(await standing(again)).toEqual({ pending: 1, grants: 1 })
  await again.stop()

  const real = await begin({
    PVE_URL: 'https://127.0.0.1:1',
    PVE_TOKEN_ID: 'jarvis@pve!jarvis',
    PVE_TOKEN_SECRET: 'present-secret-0123',
  })
  await expect.poll(() => standing(real)).toEqual({ pending: 0, grants: 0 })
  const { items } = (await (await real.rest('/api/journal?kind=decision')).json()) as { items: JournalEntry[] }
  expect(items[0]?.body).toMatchObject({ toolUseId, decision: 'cancelled', by: 'jarvis' })
  expect(lab.cluster.state().guests.find(({ vmid }) => vmid === 101)?.status).toBe('running')
})

test('what .env names is not changed from the dashboard, and a viewer may do none of it', async () => {
  const { jarvis, post, cluster } = await start({
    PVE_URL: 'https://127.0.0.1:1',
    PVE_TOKEN_ID: 'jarvis@pve!jarvis',
    PVE_TOKEN_SECRET: 'present-secret-0123',
  })
  expect(await (await jarvis.rest('/api/setup')).json()).toEqual({
    command: expect.stringContaining('pveum role add JARVIS'),
    choices: expect.arrayContaining([
      {
        name: 'snapshots',
        gives: 'take, delete and roll back snapshots',
        command: 'pveum role modify JARVIS --append 1 --privs "VM.Snapshot VM.Snapshot.Rollback"',
        toolNames: expect.arrayContaining(['take_snapshot', 'rollback_snapshot']),
      },
    ]),
    source: 'environment',
    urls: ['https://127.0.0.1:1'],
    tokenId: 'jarvis@pve!jarvis',
    fingerprints: [],
  })
  expect((await post('save', cluster)).status).toBe(409)
  expect((await jarvis.rest('/api/setup', { method: 'DELETE' })).status).toBe(409)
  for (const name of ['probe', 'test', 'save']) expect((await post(name, cluster, 'viewer')).status).toBe(403)
  expect((await jarvis.rest('/api/setup', { role: 'viewer' })).status).toBe(403)
  expect((await jarvis.rest('/api/doctor', { role: 'viewer' })).status).toBe(403)
})

test('the dashboard’s doctor looks once for all who ask meanwhile', async () => {
  const { jarvis, fake, cluster } = await start()
  const { urls, tokenId, tokenSecret, fingerprints } = cluster
  const other = await startJarvis({
    env: {
      JARVIS_EMBEDDINGS: 'none',
      PVE_URL: urls[0] ?? '',
      PVE_TOKEN_ID: tokenId,
      PVE_TOKEN_SECRET: tokenSecret,
      PVE_FINGERPRINT: fingerprints[0] ?? '',
    },
  })
  const [one, two] = await Promise.all(
    [1, 2].map(async () => (await (await other.rest('/api/doctor')).json()) as DoctorReply),
  )
  expect(one).toEqual(two)
  expect((await fake.control.requests())['GET /version']).toBe(1)
  expect(one?.checks).toEqual(expect.arrayContaining([expect.objectContaining({ area: 'Journal', health: 'ok' })]))
  const demo = (await (await jarvis.rest('/api/doctor?model=0')).json()) as DoctorReply
  expect(demo).toMatchObject({
    ok: true,
    checks: expect.arrayContaining([expect.objectContaining({ area: 'Cluster', health: 'warn' })]),
  })
})

test('a saved setting that cannot be used says where it stands', () => {
  const dataDir = folder()
  writeFileSync(join(dataDir, 'settings.env'), 'PVE_URL=ftp://x\n')
  expect(() => readStartConfig({ JARVIS_DATA_DIR: dataDir })).toThrow(/^PVE_URL must be .* in settings\.env/)
})

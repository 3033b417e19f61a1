import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFakeProxmox } from 'fake-proxmox/server'
import { systemClock } from 'node-kit/clock'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { portChecks } from '../src/doctor/address-checks.ts'
import { clusterChecks } from '../src/doctor/cluster-checks.ts'
import { databaseChecks, dataChecks } from '../src/doctor/data-checks.ts'
import { examine } from '../src/doctor/doctor.ts'
import { embeddingChecks } from '../src/doctor/model-checks.ts'
import type { Inspection } from '../src/homelab/connect.ts'
import { allRights, baseRights, choices, toolNeeds } from '../src/tools/rights.ts'
import { commandHere } from './support/command-here.ts'
import { openJournal } from './support/data-dir.ts'
import { overHomelab } from './support/house.ts'
import { createSimulator } from './support/simulator.ts'
import { sshdTest, startSshd } from './support/sshd.ts'

function folder() {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-doctor-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A cluster whose four nodes are all one sshd, and what the environment says of it. */
async function start(entries = 1) {
  const fake = await startFakeProxmox({ entries, denyDelayMs: 10, proxyDelayMs: 10 })
  onTestFinished(fake.stop)
  const sshd = await startSshd()
  onTestFinished(sshd.close)
  const dir = folder()
  const known = join(dir, 'known_hosts')
  writeFileSync(known, `[127.0.0.1]:${sshd.port} ${sshd.hostKey()}\n`)
  const names = ['pve1', 'pve2', 'pve3', 'pve4']
  const env = {
    JARVIS_DATA_DIR: dir,
    PORT: '0',
    JARVIS_EMBEDDINGS: 'none',
    PVE_URL: fake.urls.join(','),
    PVE_TOKEN_ID: fake.tokenId,
    PVE_TOKEN_SECRET: fake.tokenSecret,
    PVE_FINGERPRINT: fake.fingerprints.join(','),
    SSH_USER: sshd.user,
    SSH_KEY_PATH: sshd.clientKeyPath,
    SSH_KNOWN_HOSTS: known,
    JARVIS_NODES: names.map((name, i) => `${name}=127.0.0.1:${sshd.port}@aa:bb:cc:dd:ee:0${i}`).join(','),
  }
  return { fake, sshd, dir, env }
}

async function look(env: Record<string, string>) {
  const config = readConfig(env)
  const found = await examine(config, {
    clock: systemClock,
    asksModel: true,
    database: () => databaseChecks(config.dataDir, 1e9, async () => ({ ok: true, entries: 0 })),
    embeddings: (signal) => embeddingChecks(config.embeddings, signal),
    port: (signal) => portChecks(config, signal),
    redact: (text) => text,
  })
  const of = (area: string) => found.checks.filter((check) => check.area === area)
  for (const secret of config.secrets) expect(JSON.stringify(found)).not.toContain(secret)
  return { ...found, of }
}

test('every tool that asks the API says which rights it needs, and no tool is forgotten', () => {
  const overNetworkAlone = ['execute_ssh', 'get_node_temperature', 'wake_node']
  const besides = ['drill_restore']
  const names = overHomelab(createSimulator({ clock: systemClock, protectedTargets: new Set() })).map(
    ({ name }) => name,
  )
  expect([...[...toolNeeds.keys()], ...overNetworkAlone].sort()).toEqual([...names, ...besides].sort())
  expect(allRights).toContain('Sys.Modify')
})

test('every right that a tool needs is in the base role or in one choice, and the base role has none beyond', () => {
  const inChoices = choices.flatMap(({ rights }) => rights)
  expect(allRights.filter((right) => !baseRights.includes(right) && !inChoices.includes(right))).toEqual([])
  expect(new Set([...baseRights, ...inChoices]).size).toBe(baseRights.length + inChoices.length)
  expect(baseRights.filter((right) => !allRights.includes(right))).toEqual([])
})

sshdTest('a cluster in order: every way in, right, node, login and MAC is told of as such', async () => {
  const { env, sshd, fake } = await start(2)
  await fake.control.setRights({ '/': Object.fromEntries(baseRights.map((right) => [right, 1])) })
  const found = await look(env)
  expect(found.ok).toBe(true)
  expect(found.checks.filter(({ health }) => health === 'bad')).toEqual([])
  expect(found.of('Cluster')).toHaveLength(2)
  const isInBase = (name: string) => toolNeeds.get(name)?.every(({ right }) => baseRights.includes(right))
  const told = found.of('Rights').map(({ text }) => text)
  expect(told.filter((text) => text.endsWith(': has what it needs.'))).toHaveLength(
    [...toolNeeds.keys()].filter(isInBase).length,
  )
  expect(told).toContain(
    'Not chosen: journal, which lets JARVIS read the nodes’ journals (get_node_journal). To add it, on a node: pveum role modify JARVIS --append 1 --privs "Sys.Syslog"',
  )
  expect(found.of('Nodes')).toHaveLength(4)
  expect(found.of('Clock').every(({ health }) => health === 'ok')).toBe(true)
  expect(found.of('SSH').map(({ text }) => text)).toEqual(
    ['pve1', 'pve2', 'pve3', 'pve4'].map((name) => expect.stringContaining(`${name}: ${sshd.user}@127.0.0.1`)),
  )
  expect(found.of('Wake-on-LAN').every(({ health }) => health === 'ok')).toBe(true)
})

sshdTest('a lost right names its tools and the line that adds it', async () => {
  const { env, fake } = await start()
  await fake.control.setRights({
    '/': { 'VM.Audit': 1, 'Sys.Audit': 1, 'Datastore.Audit': 1 },
    '/vms/100': { 'VM.Audit': 1, 'VM.PowerMgmt': 1 },
  })
  const { ok, of } = await look(env)
  expect(ok).toBe(false)
  expect(of('Rights').filter(({ health }) => health !== 'ok')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        health: 'warn',
        text: 'stop_vm: on a part of the cluster only (VM.PowerMgmt on /vms).',
      }),
      {
        area: 'Rights',
        health: 'bad',
        text: 'restart_service: does not work without Sys.Modify on /nodes.',
        fix: 'On a node: pveum role modify JARVIS --append 1 --privs "Sys.Modify"',
      },
    ]),
  )
})

sshdTest.each([
  [
    'a changed certificate',
    { PVE_FINGERPRINT: 'AB'.repeat(32) },
    'Cluster',
    /another certificate.*: [\dA-F:]{95}\.$/,
    /^If you changed it, .*pvenode cert info/,
  ],
  [
    'a wrong secret',
    { PVE_TOKEN_SECRET: 'wrong-secret-0123' },
    'Token',
    /refuses the API token jarvis@pve!jarvis \(401\)/,
    /pveum user token add jarvis@pve jarvis /,
  ],
  ['nobody there', { PVE_URL: 'https://127.0.0.1:1' }, 'Cluster', /refuses connections/, /pveproxy/],
])('%s is broken, and says what to do', async (_what, change, area, text, fix) => {
  const { env } = await start()
  const { ok, of } = await look({ ...env, ...change })
  expect(ok).toBe(false)
  expect(of(area)).toEqual([
    { area, health: 'bad', text: expect.stringMatching(text), fix: expect.stringMatching(fix) },
  ])
})

sshdTest(
  'a node that is off, an unknown host key, a refused login, a missing MAC and a stranger are each named',
  async () => {
    const { env, fake, sshd, dir } = await start()
    await fake.control.setNode('pve3', false)
    const off = await look({ ...env, JARVIS_NODES: `${env.JARVIS_NODES.replace(/@[^,]*0:?0(?=,)/, '')},PVE9=10.0.0.9` })
    expect(off.of('Nodes').filter(({ health }) => health === 'warn')).toMatchObject([{ text: 'pve3 is offline.' }])
    expect(off.of('SSH')).toHaveLength(3)
    expect(off.of('Wake-on-LAN').filter(({ health }) => health === 'warn')).toMatchObject([
      { text: expect.stringMatching(/^pve1 cannot be woken/) },
      { text: expect.stringMatching(/names PVE9/) },
    ])
    const empty = join(dir, 'nobody')
    const unknown = await look({ ...env, SSH_KNOWN_HOSTS: empty })
    expect(unknown.of('SSH')[0]).toMatchObject({
      health: 'bad',
      text: expect.stringContaining(sshd.hostKeyFingerprint()),
      fix: expect.stringContaining(`>> ${empty}`),
    })
    const denied = await look({ ...env, SSH_USER: 'somebody' })
    expect(denied.of('SSH')[0]).toMatchObject({
      health: 'bad',
      text: expect.stringMatching(/does not let somebody in/),
    })
    const gone = await look({ ...env, JARVIS_NODES: 'pve1=127.0.0.1:1' })
    expect(gone.of('SSH')[0]).toMatchObject({
      text: 'pve1: 127.0.0.1:1 cannot be reached over SSH: connection refused.',
      fix: expect.stringContaining('Is sshd running there'),
    })
  },
)

test.each([
  [0, 'ok'],
  [30_000, 'warn'],
  [-300_000, 'bad'],
] as const)('a clock %i ms ahead is %s', (skewMs, health) => {
  const config = { urls: [], tokenId: '', tokenSecret: '', fingerprints: [], ca: undefined }
  const checks = clusterChecks(config, {
    entries: [{ url: 'https://a:8006', version: '9.1', skewMs }],
    rights: undefined,
    nodes: [],
    tried: [],
  })
  expect(checks.find(({ area }) => area === 'Clock')).toMatchObject({ health })
})

test('the lines for a token name its user, whose name may hold an @', () => {
  const tokenId = 'mira@example.org@authentik!jarvis'
  const config = { urls: [], tokenId, tokenSecret: '', fingerprints: [], ca: undefined }
  const fixes = (entry: object, rights: Inspection['rights']) =>
    clusterChecks(config, { entries: [{ url: 'https://a:8006', ...entry }], rights, nodes: [], tried: [] }).map(
      ({ fix }) => fix,
    )
  const problem = 'Proxmox at a:8006 refuses the API token'
  expect(fixes({ problem }, undefined).join()).toContain(
    'pveum user token add mira@example.org@authentik jarvis --privsep 0',
  )
  expect(fixes({ version: '9.1', skewMs: 0 }, new Map()).join()).toContain(
    '--users mira@example.org@authentik --roles JARVIS',
  )
})

test('a refused key and an unknown model count as broken, and neither check costs a token', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(request.headers.authorization === 'Bearer right-key-0123' ? 200 : 401)
    response.end(JSON.stringify({ data: [{ id: 'qwen' }] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const env = {
    JARVIS_DATA_DIR: folder(),
    PORT: '0',
    JARVIS_EMBEDDINGS: 'none',
    OPENAI_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
  }
  const model = async (key: string, name: string) =>
    (await look({ ...env, OPENAI_API_KEY: key, OPENAI_MODEL: name })).of('Model')[0]
  expect(await model('wrong-key-0123', 'qwen')).toMatchObject({
    health: 'bad',
    fix: 'Set a valid key (OPENAI_API_KEY).',
  })
  expect(await model('right-key-0123', 'other')).toMatchObject({
    health: 'bad',
    text: expect.stringMatching(/does not have/),
  })
  expect(await model('right-key-0123', 'qwen')).toMatchObject({ health: 'ok' })
  // Ollama, LM Studio and llama.cpp are asked what the model can do too, which costs nothing either.
  expect(new Set(asked)).toEqual(new Set(['GET /v1/models', 'GET /api/ps', 'GET /api/v0/models', 'GET /props']))
})

test('a port in use, an open data dir and a readable .env are reported', async () => {
  const taken = createTcp()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void taken.close())
  taken.on('connection', (socket) => socket.end('no\r\n\r\n'))
  const { port } = taken.address() as AddressInfo
  const listening = { host: '127.0.0.1', port, allowedHosts: [] }
  expect(await portChecks(listening, new AbortController().signal)).toMatchObject([{ health: 'bad' }])

  const dir = folder()
  const env = join(dir, '.env')
  writeFileSync(env, 'PVE_TOKEN_SECRET=x\n', { mode: 0o644 })
  chmodSync(dir, 0o755)
  expect(dataChecks(dir, env).map(({ fix }) => fix)).toEqual(
    expect.arrayContaining([`chmod 700 ${dir}`, `chmod 600 ${env}`]),
  )
  chmodSync(dir, 0o700)
  chmodSync(env, 0o600)
  expect(dataChecks(dir, env).filter(({ health }) => health !== 'ok')).toEqual([])
})

test('the command prints a line for each check, exits with 1 where something is broken, and prints JSON with --json', async () => {
  const dir = folder()
  const { close } = openJournal(dir)
  await close()
  chmodSync(dir, 0o700)
  const run = async (args: string[], change: Record<string, string>) => {
    const env = { PATH: process.env.PATH ?? '', PORT: '0', JARVIS_EMBEDDINGS: 'none', ...change }
    const { code, stdout, stderr } = await commandHere({ dataDir: dir }, ['doctor', ...args], env)
    return { code, said: stdout + stderr }
  }
  const fine = await run(['--json'], {})
  expect(fine.code).toBe(0)
  expect(JSON.parse(fine.said)).toMatchObject({
    ok: true,
    checks: expect.arrayContaining([expect.objectContaining({ area: 'Database' })]),
  })
  const broken = await run(['--no-model'], { PVE_URL: 'ftp://x' })
  expect(broken).toMatchObject({ code: 1, said: expect.stringMatching(/^✗ Configuration {2}PVE_URL must be .* → /) })
  writeFileSync(join(dir, 'jarvis.db'), 'not a database, only a text of some length'.repeat(20))
  const damaged = await run([], {})
  expect(damaged).toMatchObject({ code: 1, said: expect.stringMatching(/✗ Database .* → Restore the newest backup/) })
})

import type { PbsFacts } from 'fake-proxmox/pbs-model'
import type { Homelab } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigError, readConfig } from '../src/config/config.ts'
import { pbsChecks } from '../src/doctor/pbs-checks.ts'
import { createPbs } from '../src/homelab/pbs/transport.ts'
import { pbsTools } from '../src/tools/pbs/index.ts'
import { withPorts } from '../src/tools/tool.ts'
import { pbsToken, startFakePbs } from './support/fake-pbs.ts'
import { createSimulator } from './support/simulator.ts'

const nowS = Math.floor(Date.now() / 1000)
const facts = (): PbsFacts => ({
  stores: [
    { store: 'main', total: 1_000e9, used: 910e9, fullAt: nowS + 10 * 86_400 },
    { store: 'cold', total: 1_000e9, used: 100e9, fullAt: nowS - 86_400 },
  ],
  snapshots: [
    { store: 'main', type: 'vm', id: '100', time: nowS - 3_600, size: 5e9, verification: 'ok' },
    { store: 'main', type: 'vm', id: '100', time: nowS - 90_000, size: 5e9, verification: 'failed' },
    { store: 'main', ns: 'family', type: 'ct', id: '200', time: nowS - 7_200, size: 1e9, isProtected: true },
    { store: 'cold', type: 'vm', id: '100', time: nowS - 900_000, size: 5e9, verification: 'ok' },
  ],
  jobs: [
    {
      kind: 'verify',
      store: 'main',
      id: 'v1',
      schedule: 'daily',
      'last-run-state': 'verification failed',
      'last-run-endtime': nowS - 60,
    },
    { kind: 'gc', store: 'main', schedule: 'daily', 'last-run-state': 'OK', 'pending-bytes': 2e9, 'still-bad': 3 },
    { kind: 'prune', store: 'cold', id: 'p1', disable: true },
  ],
})

async function real() {
  const fake = await startFakePbs(facts())
  const pbs = createPbs({ url: fake.url, ...pbsToken, fingerprints: [fake.fingerprint] })
  onTestFinished(pbs.close)
  return { fake, run: over({ now: () => nowS * 1000 } as Homelab['api'], pbs) }
}

function over(api: Homelab['api'], pbs: NonNullable<Homelab['pbs']>) {
  const tools = new Map(withPorts(pbsTools, { api, pbs }).map((tool) => [tool.name, tool]))
  return async (name: string, input: Record<string, unknown> = {}) => {
    const tool = tools.get(name)
    if (tool === undefined) throw new Error(`no tool ${name}`)
    const output = await tool.run(tool.input.parse(input), {
      signal: AbortSignal.timeout(60_000),
      onProgress() {},
      onTask() {},
    })
    if (output.isError !== true) expect(tool.output?.strict().parse(output.data), name).toEqual(output.data)
    return output
  }
}

test('datastores tell their use and when they are full, and jobs how they ended', async () => {
  const { run } = await real()
  const { text, summary, data } = await run('get_pbs_status')
  expect(summary).toBe('main 91 % full; 1 jobs failed')
  expect(text).toContain('full in 10 d')
  expect(data?.datastores).toEqual([
    expect.objectContaining({ name: 'main' }),
    expect.objectContaining({ name: 'cold', fullAt: null }),
  ])
  expect(text).toMatch(/verify v1 of main: last verification failed/)
  expect(text).toContain('3 BROKEN chunks')
  expect(text).toContain('prune p1 of cold: no run known, disabled')
})

test('snapshots of every namespace tell whether they were verified, worst first', async () => {
  const { run } = await real()
  const all = await run('get_pbs_snapshots')
  expect(all.summary).toBe('4 snapshots, 1 failed verification')
  expect(all.text.split('\n')[1]).toContain('ct/200 2 h ago in main/family')
  expect(all.text).toContain('not verified, protected')
  const one = await run('get_pbs_snapshots', { vmid: 100, datastore: 'main' })
  expect(one.data?.snapshots).toEqual([
    expect.objectContaining({ verification: 'ok' }),
    expect.objectContaining({ verification: 'failed' }),
  ])
  expect(one.text).toContain('VERIFICATION FAILED')
})

test('a list that is empty for lack of rights is said as such', async () => {
  const { fake, run } = await real()
  fake.state.visible = []
  const none = 'none visible to this token (it needs DatastoreAudit on /datastore)'
  expect(await run('get_pbs_status')).toMatchObject({
    isError: true,
    text: expect.stringContaining(`datastores: ${none}`),
  })
  expect(await run('get_pbs_snapshots')).toMatchObject({ isError: true, data: { snapshots: null, total: null } })
  fake.state.visible = ['cold']
  expect((await run('get_pbs_status')).data?.datastores).toHaveLength(1)
  expect(await run('get_pbs_snapshots', { datastore: 'main' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('there is no datastore main that this token sees'),
  })
})

test.each<[string, Partial<Parameters<typeof createPbs>[0]>, RegExp]>([
  ['a wrong secret', { tokenSecret: 'wrong-secret' }, /refuses the API token jarvis@pbs!jarvis \(401\)/],
  ['a cluster’s way to write a token', { tokenId: 'jarvis@pbs!jarvis=x' }, /refuses the API token/],
  [
    'another certificate',
    { fingerprints: ['AB'.repeat(32)] },
    /another certificate.*proxmox-backup-manager cert info.*PBS_FINGERPRINT/,
  ],
  ['no pin', { fingerprints: [] }, /not trusted.*PBS_FINGERPRINT/],
])('%s is said, and the token goes to nobody else', async (_name, change, words) => {
  const fake = await startFakePbs(facts())
  const pbs = createPbs({ url: fake.url, ...pbsToken, fingerprints: [fake.fingerprint], ...change })
  onTestFinished(pbs.close)
  const asked = pbs.get(['version'], {}, { signal: AbortSignal.timeout(60_000) })
  await expect(asked).rejects.toMatchObject({ code: 'cluster_unreachable', message: expect.stringMatching(words) })
  await expect(asked).rejects.not.toMatchObject({ message: expect.stringContaining(pbsToken.tokenSecret) })
  if (change.fingerprints !== undefined) expect(fake.state.requests).toEqual([])
})

test('an answer that is no backup server’s is no empty list', async () => {
  const { fake, run } = await real()
  fake.state.says = '<html>'
  await expect(run('get_pbs_status')).rejects.toMatchObject({
    message: expect.stringMatching(/is not a backup server's/),
  })
})

test('the demo’s backup server is away until its guest runs, and then tells what it holds', async () => {
  const lab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })
  onTestFinished(() => lab.cluster.close())
  if (lab.pbs === undefined) throw new Error('no backup server')
  const run = over(lab.api, lab.pbs)
  await expect(run('get_pbs_status')).rejects.toMatchObject({ code: 'cluster_unreachable' })
  await lab.cluster.power({ vmid: 141, action: 'start' }, { signal: AbortSignal.timeout(60_000) })
  expect((await run('get_pbs_status')).summary).toMatch(/^main \d+ % full; 1 jobs failed$/)
  expect((await run('get_pbs_snapshots')).summary).toMatch(/^\d\d snapshots, 1 failed verification$/)
})

const env = { PBS_URL: 'https://pbs.lan', PBS_TOKEN_ID: pbsToken.tokenId, PBS_TOKEN_SECRET: pbsToken.tokenSecret }

test('the PBS_* variables are read, with the usual port, and the secret is one', () => {
  const { pbs, secrets } = readConfig({ ...env, PBS_FINGERPRINT: 'ab'.repeat(32) })
  expect(pbs).toMatchObject({ url: 'https://pbs.lan:8007', fingerprints: ['AB:'.repeat(32).slice(0, -1)] })
  expect(secrets).toContain(pbsToken.tokenSecret)
  expect(readConfig({}).pbs).toBeUndefined()
})

test.each<[Record<string, string>, RegExp]>([
  [{ PBS_URL: 'http://pbs.lan' }, /^PBS_URL must be one https address/],
  [{ PBS_URL: 'https://a.lan,https://b.lan' }, /^PBS_URL must be one/],
  [{ PBS_URL: '' }, /^PBS_URL must be set too/],
  [{ PBS_TOKEN_ID: '' }, /^PBS_TOKEN_ID must be set with PBS_URL/],
  [{ PBS_TOKEN_SECRET: '' }, /^PBS_TOKEN_SECRET must be set with PBS_URL/],
  [{ PBS_TOKEN_SECRET: 'jarvis@pbs!jarvis:0123' }, /^PBS_TOKEN_SECRET must be the secret alone/],
  [{ PBS_FINGERPRINT: 'AA:BB' }, /^PBS_FINGERPRINT must be a SHA-256/],
])('%j is refused in one line', (change, words) => {
  expect(() => readConfig({ ...env, ...change })).toThrow(ConfigError)
  expect(() => readConfig({ ...env, ...change })).toThrow(words)
})

test('doctor tells of the backup server what it tells of the cluster', async () => {
  const fake = await startFakePbs(facts())
  const config = { url: fake.url, ...pbsToken, fingerprints: [fake.fingerprint] }
  const signal = AbortSignal.timeout(60_000)
  expect(await pbsChecks(config, signal)).toEqual([
    { area: 'Backup server', health: 'ok', text: `${fake.url} serves: 2 datastores, token accepted.` },
  ])
  fake.state.visible = []
  expect(await pbsChecks(config, signal)).toMatchObject([
    { health: 'bad', fix: expect.stringContaining('DatastoreAudit') },
  ])
  expect(await pbsChecks({ ...config, tokenSecret: 'wrong-secret' }, signal)).toMatchObject([
    { health: 'bad', text: expect.stringContaining('refuses the API token') },
  ])
})

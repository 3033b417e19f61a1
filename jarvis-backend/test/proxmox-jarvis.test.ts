import { startFakeProxmox } from 'fake-proxmox/server'
import type { Fault } from 'fake-proxmox/server/server'
import type { FakeOptions } from 'fake-proxmox/server/world'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { compose } from '../src/process.ts'
import { listGuests } from '../src/tools/homelab/listing.ts'
import { folder } from './support/data-dir.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { jwtSecret, startJarvis } from './support/start-jarvis.ts'
import { startProxmox, withGuest } from './support/start-proxmox.ts'

/** JARVIS with the fake cluster behind it, all at the fake's speed. */
async function start(
  toolName: string,
  input: Record<string, unknown>,
  change: Record<string, unknown> = {},
  fakeOptions: Partial<FakeOptions> = {},
) {
  const proxmox = await startProxmox(fakeOptions, withGuest(Number(input.vmid ?? 100), change))
  const { cluster, clock } = proxmox
  // A card that was made before would be withdrawn for it.
  await proxmox.until(({ guests }) => guests.some(({ status }) => status === 'paused'))
  const jarvis = await startJarvis({
    clock,
    model: scripted(calls([toolName, input]), says('Noted.')),
    remote: {
      api: cluster.api,
      cluster,
      shell: { run: async () => ({ stdout: '', stderr: '', exitCode: 0, truncated: false }) },
      waker: { wake: async () => ({ cameOnline: true, wasOnline: true, afterMs: 0 }) },
    },
  })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Please.' })
  return {
    ...proxmox,
    jarvis,
    screen,
    async approve() {
      // On a busy machine the fast clock makes the state unknown for a while, and a new card replaces one that shows another state.
      for (let isDecided = false; !isDecided; ) {
        const { toolUseId } = await screen.next('chat:confirm_needed')
        const reply = await screen.request('chat:confirm', { sessionId, toolUseId, confirmed: true })
        if (!reply.ok && reply.error.code !== 'expired') throw new Error(reply.error.message)
        isDecided = reply.ok
      }
      const result = await screen.next('chat:tool_result')
      await screen.next('chat:done')
      const page = (await (await jarvis.rest('/api/journal?limit=200')).json()) as {
        items: { kind: string; body: object }[]
      }
      return { result, execution: page.items.find(({ kind }) => kind === 'result')?.body }
    },
  }
}

const lost = (kind: 'lost' | 'closed'): Fault => ({ kind, match: '/status/shutdown', method: 'POST', times: 9 })

test('the outcome of a lost answer is found in the task log', async () => {
  // Slowly: after a lost answer the client looks at the guest for two seconds of the cluster's time.
  const { fake, approve } = await start('stop_vm', { vmid: 100 }, {}, { speed: 5 })
  await fake.control.addFault(lost('lost'))
  const { result, execution } = await approve()
  expect(result).toMatchObject({ isError: false, summary: expect.stringMatching(/qmshutdown ended: OK/) })
  expect(execution).toMatchObject({ outcome: 'done' })
  expect(await fake.control.changes()).toHaveLength(1)
  expect(result.result).toMatch(/100 is seen stopped now\.$/)
})

test('where nothing shows that a request arrived, its outcome is unknown, and it is not sent again', async () => {
  const { fake, approve } = await start('stop_vm', { vmid: 100 })
  await fake.control.addFault(lost('closed'))
  const { result, execution } = await approve()
  expect(result).toMatchObject({ isError: true, result: expect.stringContaining('It may have run or not') })
  expect(result.result).toMatch(/Read afterwards of 100: it is there/)
  expect(execution).toMatchObject({ outcome: 'unknown' })
  expect(await fake.control.changes()).toEqual([])
  expect((await fake.control.requests())['POST /nodes/pve1/qemu/100/status/shutdown']).toBe(1)
})

test('a shutdown that the guest ignores is reported, with the forced form as an option', async () => {
  const { approve } = await start('stop_vm', { vmid: 100 }, { isDeaf: true })
  const { result } = await approve()
  expect(result.result).toMatch(/got timeout.*seen running.*force: true cuts its power/s)
})

test.each([
  ['stop_vm', { vmid: 104 }, {}, /VM is paused - cannot shutdown.*seen paused.*force: true/s],
  ['stop_vm', { vmid: 100 }, { lock: 'backup' }, /VM is locked \(backup\).*qm unlock 100/s],
  ['start_vm', { vmid: 100 }, {}, /already running.*nothing needs to be done/s],
] as const)(
  '%s %j of a guest that is %j says what stands against it, and the next step',
  async (name, input, change, said) => {
    const { approve } = await start(name, input, change)
    const { result } = await approve()
    expect(result).toMatchObject({ isError: true, result: expect.stringMatching(said) })
  },
)

test('a token without the right to switch guests is told which right it lacks', async () => {
  const { fake, approve } = await start('stop_vm', { vmid: 100 })
  await fake.control.setRights({ '/': { 'VM.Audit': 1, 'Sys.Audit': 1 } })
  const { result } = await approve()
  expect(result.result).toMatch(/Permission check failed \(\/vms\/100, VM\.PowerMgmt\).*right/s)
})

test('the dashboard’s feed says once that a guest stopped by itself', async () => {
  const { fake, jarvis, until } = await start('get_vms', {})
  const events = await jarvis.connect('/events')
  await fake.control.changeGuest(200, { status: 'stopped' })
  const texts = () => events.received.map(({ payload }) => String(payload.text))
  await until(() => texts().includes('200 dns stopped unexpectedly: no task did it'))
  await until(({ at }) => at > 0 && texts().filter((text) => text.includes('200 dns')).length === 2)
})

test('PVE_URL and its companions are enough to be served by the operator’s cluster', async () => {
  const fake = await startFakeProxmox({ denyDelayMs: 10 })
  onTestFinished(fake.stop)
  const config = readConfig({
    JARVIS_DATA_DIR: folder(),
    JARVIS_PASSWORD: 'correct-horse-battery',
    JWT_SECRET: jwtSecret,
    LOG_LEVEL: 'silent',
    PVE_URL: fake.urls.join(','),
    PVE_TOKEN_ID: fake.tokenId,
    PVE_TOKEN_SECRET: fake.tokenSecret,
    PVE_FINGERPRINT: fake.fingerprints.join(','),
  })
  const jarvis = compose(config, { version: '0.0.0-test', dashboardDir: 'nowhere' })
  onTestFinished(() => jarvis.stop(1_000))
  await expect.poll(() => fake.control.requests()).toHaveProperty(['GET /cluster/resources'])
})

test('a list of one node says that the cluster cannot be read, a template is called one', async () => {
  const { fake, cluster, until, read } = await startProxmox()
  await read()
  expect(listGuests(cluster.state(), 'vm', {}).text).toMatch(/^9000 mould vm template on pve1,/m)
  await fake.control.addFault({ kind: 'closed', match: '/cluster/resources', times: 1_000 })
  await until((state) => state.unreachableSince !== undefined)
  const { text, summary } = listGuests(cluster.state(), 'vm', { node: 'pve1' })
  expect(text).toMatch(/^(NOT UP TO DATE|UNKNOWN): last seen \d+ s ago: The cluster cannot be reached: /)
  expect(summary).toMatch(/last seen \d+ s ago: The cluster cannot be reached/)
})

test('an approval is checked against the present state, also while nobody watches the cluster', async () => {
  const { fake, clock, screen } = await start('stop_vm', { vmid: 100 })
  const { toolUseId, sessionId } = await screen.next('chat:confirm_needed')
  await fake.control.changeGuest(100, { name: 'another' })
  // As old as this, and unwatched, what is known would count for half a minute.
  await new Promise<void>((passed) => clock.after(6_000, passed))
  const reply = await screen.request('chat:confirm', { sessionId, toolUseId, confirmed: true })
  expect(reply).toMatchObject({
    ok: false,
    error: { code: 'expired', message: expect.stringContaining('"another" now') },
  })
  expect(await fake.control.changes()).toEqual([])
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Homelab } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import {
  type AlertsReply,
  type Change,
  type Grant,
  type GuestReply,
  type Job,
  type SamplesReply,
  usualLimits,
} from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { Identities } from '../src/homelab/identities.ts'
import { withIdentities } from '../src/homelab/with-identities.ts'
import { SqliteAlertStore } from '../src/store/sqlite/alerts.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteGenerationStore } from '../src/store/sqlite/generations.ts'
import { Board } from '../src/watch/board.ts'
import { makeChecks } from '../src/watch/checks/index.ts'
import { createFakeClock, noon } from './support/fake-clock.ts'
import { type CallOf, calls, says, scripted } from './support/scripted-model.ts'
import { createSimulator } from './support/simulator.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { calm, startProxmox } from './support/start-proxmox.ts'

const read = async <T>(jarvis: TestJarvis, path: string) => (await (await jarvis.rest(path)).json()) as T
const asking = (...wanted: CallOf[]) => scripted(...wanted.flatMap((call) => [calls(call), says('So be it.')]))
const signal = () => AbortSignal.timeout(60_000)
const identityOf = (jarvis: TestJarvis, vmid: number) =>
  read<{ guests: { vmid: number; identity?: { id: string } }[] }>(jarvis, '/api/cluster').then(
    ({ guests }) => guests.find((guest) => guest.vmid === vmid)?.identity?.id,
  )

test('a guest that was destroyed and made anew has none of its predecessor’s backups, and that is an alert', async () => {
  const clock = createFakeClock(noon())
  const jarvis = await startJarvis({ clock, checksRun: true })
  const before = await read<GuestReply>(jarvis, '/api/guests/112')
  expect([before.backups?.items.length, before.otherBackups]).toEqual([3, []])
  const first = await identityOf(jarvis, 112)
  await clock.advance(120_000)
  expect((await read<AlertsReply>(jarvis, '/api/alerts')).items.map(({ check }) => check)).not.toContain('backup-none')

  await clock.advance(1_000)
  const replacedAt = clock.now()
  jarvis.controls.pve.replaceGuest(112, true)
  await clock.advance(120_000)
  const reply = await read<GuestReply>(jarvis, '/api/guests/112')
  expect(reply.otherBackups).toEqual([
    expect.stringMatching(
      /^3 backups, the newest of .*: of an earlier guest with the number 112 \(.+, last seen .+\)\.$/,
    ),
  ])
  expect(await identityOf(jarvis, 112)).not.toBe(first)
  const { items } = await read<AlertsReply>(jarvis, '/api/alerts')
  expect(items.filter(({ object }) => object.vmid === 112)).toMatchObject([
    { check: 'backup-none', severity: 'look', sentence: expect.stringContaining('has no backup of its own') },
  ])
  // Its charts begin with it.
  const { from, stepMs, items: series } = await read<SamplesReply>(jarvis, '/api/samples?series=guest/112&range=1h')
  const known = series[0]?.values.cpuRatio?.flatMap((value, at) => (value === null ? [] : from + at * stepMs)) ?? []
  expect([known.length, known.every((at) => at >= replacedAt)]).toEqual([2, true])

  // The drill takes no other guest's backup for a proof.
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: '/drill_restore vmid=112' })
  expect(await screen.next('chat:tool_result')).toMatchObject({
    isError: true,
    summary: expect.stringContaining('no backup of 112 itself is known'),
  })
})

test('another guest of the same name and node between two looks gets a new card that says so', async () => {
  const jarvis = await startJarvis({ model: asking(['restart_vm', { vmid: 103 }]) })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Restart 103.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  jarvis.controls.pve.replaceGuest(103, false)
  const reply = await operator.request('chat:confirm', { sessionId, toolUseId, confirmed: true })
  expect(reply).toMatchObject({
    ok: false,
    error: { code: 'expired', message: expect.stringContaining('Another guest has the number 103') },
  })
  expect(jarvis.controls.effects).toEqual([])
})

test('a grant for a guest holds over restarts, and not for another one with its number', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const grants = async (jarvis: TestJarvis) => (await read<{ items: Grant[] }>(jarvis, '/api/grants')).items
  const restart: CallOf = ['restart_vm', { vmid: 103 }]
  const first = await startJarvis({ dataDir, model: asking(restart) })
  const operator = await first.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Restart 103.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: true, grant: { minutes: 60, uses: 5 } })
  await operator.next('chat:done')
  const id = await identityOf(first, 103)
  await first.stop()

  const second = await startJarvis({ dataDir, model: asking(restart) })
  expect(await identityOf(second, 103)).toBe(id)
  const screen = await second.connect()
  await screen.ask('chat:send', { sessionId, message: 'Again.' })
  expect(await screen.next('chat:tool_use')).toMatchObject({ grantId: expect.any(String) })
  await screen.next('chat:done')
  await second.stop()

  const homelab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })
  homelab.controls.pve.replaceGuest(103, false)
  const third = await startJarvis({ dataDir, homelab, model: asking(restart) })
  expect(await grants(third)).toHaveLength(1)
  const last = await third.connect()
  await last.ask('chat:send', { sessionId, message: 'Again.' })
  await last.next('chat:confirm_needed')
  expect(await grants(third)).toEqual([])
  expect(third.controls.effects).toEqual([])
})

test('a change of a guest is not taken back on the one that has its number since', async () => {
  const jarvis = await startJarvis({ model: scripted(says('Noted.'), says('Noted.')) })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', {
    message: '/set_guest_config vmid=112 set={"description":"ours"}',
  })
  await operator.next('chat:done')
  const [change] = (await read<{ items: Change[] }>(jarvis, '/api/changes?target=ct/112')).items
  jarvis.controls.pve.replaceGuest(112, true)
  await operator.ask('chat:send', { sessionId, message: `/undo change=${change?.id}` })
  const results = [await operator.next('chat:tool_result'), await operator.next('chat:tool_result')]
  expect(results[1]?.summary).toContain('112 is another guest now')
  const { values } = (await jarvis.homelab.api
    .get(['nodes', 'Home', 'lxc', 112, 'config'], {}, { signal: signal() })
    .then((values) => ({ values }))) as { values: Record<string, unknown> }
  expect(values.description).toBeUndefined()
})

test('a backup of another cluster’s guest with the number is said, does not count and is not drilled', async () => {
  const simulator = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })
  const { cluster, controls } = simulator
  const own = await cluster.backups({ vmid: 131 }, { signal: signal() })
  const newest = own.items[0]
  const ctime = Math.floor(Date.now() / 1000) - 60
  controls.pve.addForeignBackup(131, {
    volid: `tank-nfs:backup/vzdump-qemu-131-x.vma.zst`,
    storage: 'tank-nfs',
    ctime,
    notes: 'their-router',
    config: { name: 'their-router', net0: 'virtio=BC:24:11:99:99:99,bridge=vmbr0', scsi0: 'x:vm-131-disk-0,size=4G' },
  })
  const jarvis = await startJarvis({ homelab: simulator, model: scripted(says('Noted.')) })
  const reply = await read<GuestReply>(jarvis, '/api/guests/131')
  expect(reply.otherBackups).toEqual([
    expect.stringContaining('of another machine with the number 131: its notes name their-router'),
  ])
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: '/drill_restore vmid=131' })
  const card = await screen.next('chat:confirm_needed')
  expect(card.now).toContain(newest?.volumeId)
  expect(card.now).toContain('of 131 ollama by its UUID')
})

test('over Proxmox’s API a number that was freed and taken again is another guest’s, and a restart changes nothing', async () => {
  const { cluster, until } = await startProxmox()
  const database = openDatabase(':memory:')
  onTestFinished(() => database.close())
  const store = new SqliteGenerationStore(database)
  const report = (error: unknown) => expect(error).toBeUndefined()
  const follow = () =>
    withIdentities(
      { cluster } as unknown as Homelab,
      new Identities({ store, marks: (vmid) => cluster.marks?.(vmid), report }),
    )
  const seen = follow().cluster
  const whoHas = (vmid: number) => seen.state().guests.find((guest) => guest.vmid === vmid)
  await until(() => whoHas(202)?.identity !== undefined)
  const first = whoHas(202)?.identity
  expect(
    follow()
      .cluster.state()
      .guests.find(({ vmid }) => vmid === 202)?.identity?.id,
  ).toBe(first?.id)

  const change = (method: 'DELETE' | 'POST', path: (string | number)[], form: Record<string, string> = {}) =>
    cluster.api.change({ method, path: ['nodes', ...path], form }, calm())
  const { node = '', name = '' } = whoHas(202) ?? {}
  await change('DELETE', [node, 'lxc', 202])
  await until(({ guests }) => !guests.some(({ vmid }) => vmid === 202))
  const template = 'local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst'
  await change('POST', [node, 'lxc'], { vmid: '202', ostemplate: template, hostname: name, storage: 'local-zfs' })
  await until(() => whoHas(202)?.identity !== undefined && whoHas(202)?.identity?.id !== first?.id)
  expect(whoHas(202)?.identity).toMatchObject({ earlier: { until: expect.any(Number) }, notBefore: expect.any(Number) })
})

test('whom a backup server says a backup belongs to tells it from another cluster’s', async () => {
  const homelab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })
  homelab.controls.setStatus(141, 'running')
  const ctime = Math.floor(Date.now() / 1000) - 60
  const volid = `pbs-main:backup/vm/103/${new Date(ctime * 1000).toISOString().slice(0, 19)}Z`
  const config = { name: 'theirs', net0: 'virtio=BC:24:11:99:99:99,bridge=vmbr0' }
  homelab.controls.pve.addForeignBackup(103, { volid, storage: 'pbs-main', ctime, owner: 'other@pbs!nightly', config })
  const jarvis = await startJarvis({ homelab })
  const { otherBackups, backups } = await read<GuestReply>(jarvis, '/api/guests/103')
  expect(otherBackups).toEqual([expect.stringContaining('its owner there is other@pbs!nightly')])
  expect(backups?.items.map(({ whose }) => whose)).toEqual(['other', 'own', 'own', 'own'])
})

test('a job made for a guest is paused where another one has its number, until a person resumes it', async () => {
  const jarvis = await startJarvis()
  const post = async (path: string, json: object = {}) =>
    (await (await jarvis.rest(path, { method: 'POST', json })).json()) as { id: string }
  const work = { kind: 'call', toolName: 'restart_container', toolInput: { vmid: 112 } }
  const { id } = await post('/api/jobs', { name: 'nightly', work, schedule: { kind: 'interval', minutes: 600 } })
  jarvis.controls.pve.replaceGuest(112, true)
  await post(`/api/jobs/${id}/run`)
  const job = () => read<Job>(jarvis, `/api/jobs/${id}`)
  await expect.poll(async () => (await job()).state).toBe('paused')
  expect((await job()).last).toMatchObject([
    { state: 'skipped', summary: expect.stringContaining('112 is another guest than') },
  ])
  await jarvis.rest(`/api/jobs/${id}`, { method: 'PATCH', json: { isPaused: false } })
  await post(`/api/jobs/${id}/run`)
  await expect.poll(async () => (await job()).last.at(-1)?.state).not.toBe('skipped')
})

test('an acknowledgement and a silence are for the guest that was meant', () => {
  const database = openDatabase(':memory:')
  onTestFinished(() => database.close())
  const board = new Board({ store: new SqliteAlertStore(database), now: () => noon(), samples: () => [] })
  const [check] = makeChecks().filter(({ id }) => id === 'backup-none')
  const look = (guest?: { id: string; since: number }) => {
    const object = { id: 'ct/112', name: 'caddy', vmid: 112, guest }
    const measure = { object, level: 'look' as const, words: 'none', sentence: 'None.' }
    if (check !== undefined)
      board.take(check, { measures: [measure], unread: new Map() }, { limits: usualLimits, now: noon() })
    return board.open()[0]
  }
  const acknowledge = () => {
    const [alert] = board.open()
    if (alert === undefined) return
    board.change(alert, { ...alert, acknowledged: { by: 'operator', at: noon(), severity: 'look' } })
  }
  look({ id: 'a', since: 1 })
  acknowledge()
  expect(look({ id: 'a', since: 1 })?.acknowledged).toBeDefined()
  const next = look({ id: 'b', since: 2 })
  expect([next?.acknowledged, next?.object.guest?.id]).toEqual([undefined, 'b'])
  expect(board.all().map(({ ending }) => ending)).toContain('Another guest has its number now.')

  // One of an older release names no guest: what was said holds where the guest was there then.
  board.leave('')
  look()
  acknowledge()
  expect(look({ id: 'b', since: noon() - 1 })?.acknowledged).toBeDefined()
  board.leave('')
  look()
  acknowledge()
  expect(look({ id: 'c', since: noon() + 1 })?.acknowledged).toBeUndefined()
})

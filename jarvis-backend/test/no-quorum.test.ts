import { createModelApi } from 'fake-proxmox/pve-model/api'
import { createModel } from 'fake-proxmox/pve-model/model'
import { demoSeeds } from 'fake-proxmox/simulator/demo-configs'
import { DemoHost } from 'fake-proxmox/simulator/pve-host'
import { World as SimWorld } from 'fake-proxmox/simulator/world'
import type { ApiError } from 'homelab-ports/failure'
import { notSent } from 'homelab-ports/power-words'
import { systemClock } from 'node-kit/clock'
import { profileNames } from 'protocol'
import { expect, test } from 'vitest'
import { decide, type Effect, effectsOf, noQuorumRule, shippedPolicy, type World } from '../src/gate/index.ts'
import { guestOf, nodeOf } from '../src/gate/lab.fixture.ts'
import { leftOf, reasonOf } from '../src/homelab/operations/left-of.ts'
import { runTask } from '../src/homelab/operations/run-task.ts'
import { guestPath, type Place } from '../src/homelab/pve/guest.ts'
import { isQuorumLoss, quorumOf, withQuorum } from '../src/homelab/quorum.ts'
import { houseTools } from '../src/tools/house.ts'

const signal = new AbortController().signal
const denied =
  /^unable to open file '\/etc\/pve\/nodes\/\w+\/(?:qemu-server|lxc)\/\d+\.conf\.tmp\.75' - Permission denied$/

/** The model of Proxmox itself, without JARVIS's own refusal, after half of its nodes went away. */
function lab() {
  const world = new SimWorld(systemClock, 1, 1_000)
  const model = createModel(new DemoHost(world), demoSeeds(world.startedAt))
  const sent: string[] = []
  const api = createModelApi(model, {
    now: () => world.clock.now(),
    wait: (ms, until) => world.wait(ms, until),
    arrive: (until) => world.arrive(until),
    record: (request) => void sent.push(request),
  })
  const [node = ''] = model.host.nodes().map(({ name }) => name)
  const guest = model.host.guests().find((one) => one.type === 'qemu' && one.node === node && one.lock === undefined)
  if (guest === undefined) throw new Error('no guest')
  const place: Place = { vmid: guest.vmid, node, type: 'vm' }
  const lose = () => {
    for (const other of model.host.nodes().slice(1)) model.host.setReached(other.name, false)
  }
  const change = (
    method: 'POST' | 'PUT' | 'DELETE',
    path: string[],
    form: Record<string, string> = {},
    onTask = () => {},
  ) =>
    runTask(api, { method, path: [...guestPath(place), ...path], form, what: 'x' }, { signal, onProgress() {}, onTask })
  return { world, model, api, place, lose, change, sent }
}
type Lab = ReturnType<typeof lab>

async function withLab(run: (lab: Lab) => Promise<void>) {
  const made = lab()
  try {
    await run(made)
  } finally {
    made.world.close()
  }
}

test('on Proxmox itself a destroy without a quorum deletes the disks and keeps the configuration, and JARVIS reads that', () =>
  withLab(async ({ model, api, place, lose, change }) => {
    model.host.changeGuest(place.vmid, { status: 'stopped' })
    expect(await leftOf(api, place, signal)).toMatch(/not locked, with its disks as configured/)
    lose()
    expect(await change('DELETE', [])).toMatchObject({ ok: false, exitStatus: expect.stringMatching(denied) })
    expect(model.host.guest(place.vmid)).toBeDefined()
    const left = await leftOf(api, place, signal)
    expect(left).toMatch(/is gone from [\w-]+: its data is lost/)
  }))

test('a resize without a quorum fails and the disk has grown; snapshot, backup and settings fail and leave all as it was', () =>
  withLab(async ({ model, api, place, lose, change }) => {
    const config = (await api.get([...guestPath(place), 'config'], {}, { signal })) as Record<string, string>
    const disk = Object.keys(config).find((key) => /^(?:scsi|virtio|sata)0$/.test(key)) ?? ''
    lose()
    const before = await leftOf(api, place, signal)
    expect(await change('POST', ['snapshot'], { snapname: 'one' })).toMatchObject({
      exitStatus: expect.stringMatching(denied),
    })
    expect(await change('PUT', ['config'], { tags: 'x' })).toMatchObject({
      refused: { status: 500, words: expect.stringMatching(denied) },
    })
    expect(await change('POST', ['clone'], { newid: '900' })).toMatchObject({
      refused: { words: 'cluster not ready - no quorum?' },
    })
    const storage = model.host.storages().find(({ content }) => content.includes('backup'))?.name ?? ''
    const form = { vmid: String(place.vmid), storage }
    const backup = await runTask(
      api,
      { path: ['nodes', place.node, 'vzdump'], form, what: 'x' },
      { signal, onProgress() {}, onTask() {} },
    )
    expect(backup.exitStatus).toBe('job errors')
    expect(await reasonOf(api, backup, signal)).toMatch(/^Backup of VM \d+ failed - unable to open file '\/etc\/pve/)
    expect(await leftOf(api, place, signal)).toBe(before)

    expect(await change('PUT', ['resize'], { disk, size: '+1G' })).toMatchObject({
      exitStatus: expect.stringMatching(denied),
    })
    expect(await api.get([...guestPath(place), 'config'], {}, { signal })).toMatchObject({ [disk]: config[disk] })
    expect(await leftOf(api, place, signal)).toMatch(
      new RegExp(`${disk} is [\\d.]+ GiB on [\\w-]+, and [\\d.]+ GiB by its configuration`),
    )
  }))

test('a snapshot that loses the quorum on its way leaves the lock, which is said', () =>
  withLab(async ({ api, place, lose, change }) => {
    expect(await change('POST', ['snapshot'], { snapname: 'one' }, lose)).toMatchObject({ ok: false })
    expect(await leftOf(api, place, signal)).toContain('it is locked (snapshot)')
  }))

test.each<[boolean | null, string[], boolean]>([
  [false, ['nodes', 'pve', 'qemu', '101'], false],
  [false, ['nodes', 'pve', 'lxc', '104', 'status', 'stop'], false],
  [false, ['nodes', 'pve', 'vzdump'], false],
  [false, ['nodes', 'pve', 'storage', 'local', 'content', 'x'], false],
  [false, ['pools', 'x'], false],
  [false, ['cluster', 'ha', 'resources'], false],
  // They may be what brings the quorum back.
  [false, ['nodes', 'pve', 'services', 'corosync', 'restart'], true],
  [false, ['nodes', 'pve', 'status'], true],
  [false, ['nodes', 'pve', 'qemu', '101', 'agent', 'exec'], true],
  [true, ['nodes', 'pve', 'qemu', '101'], true],
  // A person has approved it knowing that nobody can say.
  [null, ['nodes', 'pve', 'qemu', '101'], true],
])('with a quorum of %s, POST %j is sent: %s', async (isQuorate, path, isSent) => {
  let count = 0
  const change = withQuorum(
    async () => {
      count += 1
      return 'UPID'
    },
    () => isQuorate,
  )
  const answer = change({ method: 'POST', path, form: {} }, { signal })
  if (isSent) await expect(answer).resolves.toBe('UPID')
  else
    await expect(answer).rejects.toMatchObject({ code: 'cluster_refused', words: notSent } satisfies Partial<ApiError>)
  expect(count).toBe(isSent ? 1 : 0)
})

test.each([
  ["unable to open file '/etc/pve/nodes/pve1/qemu-server/102.conf.tmp.75' - Permission denied", true],
  ['cluster not ready - no quorum?', true],
  ["cfs-lock 'file-user_cfg' error: no quorum!", true],
  [notSent, true],
  ['Permission check failed (/vms/100, VM.PowerMgmt)', false],
  ["unable to open file '/var/lib/vz/images/1' - Permission denied", false],
])('%s is a lost quorum: %s', (words, expected) => {
  expect(isQuorumLoss(words)).toBe(expected)
})

test('what the cluster does not say of its quorum is unknown', () => {
  expect(
    quorumOf([
      { type: 'cluster', quorate: false },
      { type: 'node', quorate: undefined },
    ]),
  ).toBe(false)
  expect(quorumOf([{ type: 'node', quorate: undefined }])).toBe(true)
  expect(quorumOf([{ type: 'cluster', quorate: undefined }])).toBeNull()
  expect(quorumOf([])).toBeNull()
})

const guests = [
  guestOf(101, { name: 'web' }),
  guestOf(104, { type: 'ct' }),
  guestOf(103, { name: 'old', status: 'stopped' }),
]
const worldOf = (isQuorate: boolean | null, profile: (typeof profileNames)[number]): World => ({
  cluster: { nodes: [nodeOf('pve'), nodeOf('pve2')], guests, isQuorate },
  policy: { ...shippedPolicy, profile, enabled: new Set(['run_in_guest', 'destroy_guest']) },
  madeBy: () => ({ change: 'x', at: 0 }),
  now: 0,
})
const inputs: [string, Record<string, unknown>][] = [
  ['start_vm', { vmid: 103 }],
  ['stop_container', { vmid: 104 }],
  ['take_snapshot', { vmid: 101, name: 'one' }],
  ['set_guest_config', { vmid: 101, set: { description: 'x' } }],
  ['resize_disk', { vmid: 101, disk: 'scsi0', addGib: 1 }],
  ['clone_guest', { vmid: 101, newId: 150, name: 'copy' }],
  ['migrate_guest', { vmid: 101, target: 'pve2' }],
  ['destroy_guest', { vmid: 103, name: 'old' }],
  ['back_up_guest', { vmid: 101, storage: 'nas' }],
]
test.each(inputs)(
  '%s %j is refused without a quorum in every profile, and asks where that is not known',
  (name, raw) => {
    const tool = houseTools.find((one) => one.name === name)
    if (tool === undefined) throw new Error(name)
    const input = tool.input.parse(raw)
    const judged = (isQuorate: boolean | null, profile: (typeof profileNames)[number] = 'balanced') => {
      const world = worldOf(isQuorate, profile)
      const effects: readonly Effect[] = effectsOf(tool, input, world)
      return decide({ toolName: name, baseTier: tool.tier, input }, effects, world)
    }
    for (const profile of profileNames)
      expect(judged(false, profile)).toMatchObject({ tier: 'black', rule: noQuorumRule })
    expect(judged(null).tier).toBe('red')
    const { reason, reasons = [reason] } = judged(null)
    expect(reasons.join(' ')).toContain('Whether the cluster has a quorum is not known')
  },
)

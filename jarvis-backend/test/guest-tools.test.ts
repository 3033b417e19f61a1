import { startFakeProxmox } from 'fake-proxmox/server'
import { scaledClock } from 'fake-proxmox/server/scaled-clock'
import type { PveApi } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import { type Storage, type ToolInput, usualLimits } from 'protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Mistake } from '../src/gate/index.ts'
import { createProxmox } from '../src/homelab/connect.ts'
import type { GuestConfig } from '../src/homelab/operations/guest-config.ts'
import { safetyOf } from '../src/homelab/operations/safety-snapshot.ts'
import type { HomelabPorts } from '../src/tools/homelab/homelab-tool.ts'
import { homelabTools } from '../src/tools/homelab/index.ts'
import { type Preview, type Tool, type ToolOutput, withPorts } from '../src/tools/tool.ts'
import { createSimulator } from './support/simulator.ts'
import { connectionTo } from './support/start-proxmox.ts'

const speed = 200

/** One cluster, and its guests by what their disks lie on and whether they run. */
type Cluster = {
  ports: HomelabPorts
  zfsVm: number
  zfsCt: number
  thinVm: number
  rawVm: number
  bindCt: number
  /** Where backups go, where `zfsVm` has its disks, and where `rawVm` may move. */
  backups: string
  disks: string
  elsewhere: string
  iso: string
  changeBehind(vmid: number, key: string, value: string): void | Promise<void>
  failNextTask(vmid: number, words: string): void | Promise<void>
  lock(vmid: number, lock: string | undefined): void | Promise<void>
  stop(): void | Promise<void>
}

const nobody = () => Promise.reject(new Error('nobody is there'))
const rest = { shell: { run: nobody }, waker: { wake: nobody }, limits: () => usualLimits, alerts: () => [] }

const clusters: Record<string, () => Promise<Cluster>> = {
  async 'the demo'() {
    const { api, cluster, controls } = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed })
    const guests = { zfsVm: 101, zfsCt: 112, thinVm: 131, rawVm: 142, bindCt: 104 }
    const places = { backups: 'tank-nfs', disks: 'local-zfs', elsewhere: 'agent1' }
    const iso = 'tank-nfs:iso/debian-13.2.0-amd64-netinst.iso'
    const ports = { ...rest, api, cluster }
    return { ports, ...guests, ...places, iso, ...controls.pve, lock: controls.lockGuest, stop: cluster.close }
  },
  async 'the real client over HTTP'() {
    const anchor = Date.now()
    const fake = await startFakeProxmox({ anchor, speed, denyDelayMs: 10, proxyDelayMs: 10 })
    const cluster = createProxmox({
      connection: connectionTo(fake),
      shell: { run: nobody },
      clock: scaledClock(anchor, speed),
      protectedTargets: new Set(),
    })
    await cluster.readAfresh?.()
    const guests = { zfsVm: 100, zfsCt: 200, thinVm: 101, rawVm: 102, bindCt: 202 }
    const { failNextTask, changeBehind, changeGuest } = fake.control
    return {
      ports: { ...rest, api: cluster.api, cluster },
      ...guests,
      backups: 'nas',
      disks: 'local-zfs',
      elsewhere: 'pve2',
      iso: 'local:iso/debian-13.2.0-amd64-netinst.iso',

      failNextTask: async (...on) => void (await failNextTask(...on)),
      changeBehind: async (...on) => void (await changeBehind(...on)),
      lock: async (vmid, lock) => void (await changeGuest(vmid, { lock: lock ?? null })),
      async stop() {
        cluster.close()
        await fake.stop()
      },
    }
  },
}

/** Short forms of requests to a cluster. */
function speaking({ ports }: Cluster) {
  const tools = new Map(withPorts(homelabTools, ports).map((tool) => [tool.name, tool]))
  const toolOf = (name: string): Tool => tools.get(name) ?? raise(name)
  const signal = AbortSignal.timeout(60_000)
  const parsed = (name: string, input: ToolInput) => toolOf(name).input.parse(input)
  async function prepare(name: string, input: ToolInput): Promise<Preview> {
    await ports.cluster.readAfresh?.()
    return (await toolOf(name).prepare?.(parsed(name, input), { signal })) ?? raise(name)
  }
  const run = async (name: string, input: ToolInput, tasks: string[] = [], preview?: Preview): Promise<ToolOutput> =>
    toolOf(name).run(parsed(name, input), {
      signal,
      onProgress() {},
      onTask: (upid) => void tasks.push(upid),
      ...(preview && { preview }),
    })
  return {
    prepare,
    run,
    /** Prepares and runs it, as the gate does. @returns what takes it back */
    async change(name: string, input: ToolInput) {
      const { undo, ...preview } = await prepare(name, input)
      const tasks: string[] = []
      const output = await run(name, input, tasks, { undo, ...preview })
      expect(output.isError, output.text).not.toBe(true)
      await ports.cluster.readAfresh?.()
      return { undo, preview, output, tasks }
    },
    mistake: (name: string, input: ToolInput): Promise<string> =>
      prepare(name, input).then(
        () => 'no mistake',
        (error: unknown) => (error instanceof Mistake ? error.message : raise(String(error))),
      ),
    async config(vmid: number): Promise<Record<string, string>> {
      return ((await run('get_guest_config', { vmid })).data as { values: Record<string, string> }).values
    },
    async snapshots(vmid: number): Promise<string[]> {
      const { data } = await run('list_snapshots', { vmid })
      return (data as { snapshots: { name: string }[] }).snapshots.map(({ name }) => name)
    },
  }
}

function raise(what: string): never {
  throw new Error(what)
}
const callOf = ({ undo }: { undo: Preview['undo'] }) => (undo.kind === 'call' ? undo : raise(undo.because))

describe.each(Object.entries(clusters))('%s', (_name, start) => {
  let cluster: Cluster
  let api: PveApi
  let told: ReturnType<typeof speaking>
  beforeAll(async () => {
    cluster = await start()
    api = cluster.ports.api
    told = speaking(cluster)
  })
  afterAll(() => cluster.stop())

  test.each(['zfsVm', 'zfsCt', 'thinVm'] as const)(
    'a snapshot of %s is taken, and its undo deletes just it',
    async (role) => {
      const vmid = cluster[role]
      const before = await told.snapshots(vmid)
      const taken = await told.change('take_snapshot', { vmid, name: 'one', description: 'before the update' })
      expect(taken.tasks).toHaveLength(1)
      expect(await told.snapshots(vmid)).toEqual([...before, 'one'])
      expect((await told.run('list_snapshots', { vmid })).text).toContain('"before the update"')
      expect(await told.mistake('take_snapshot', { vmid, name: 'one' })).toContain('has a snapshot one already')
      const { toolName, input } = callOf(taken)
      expect((await told.change(toolName, input)).undo).toMatchObject({ kind: 'none' })
      expect(await told.snapshots(vmid)).toEqual(before)
      expect(await told.mistake(toolName, input)).toContain('has no snapshot one')
    },
  )

  test('the undo of a snapshot leaves another of the same name alone', async () => {
    const vmid = cluster.zfsVm
    const { toolName, input } = callOf(await told.change('take_snapshot', { vmid, name: 'twice' }))
    await told.change('delete_snapshot', { vmid, name: 'twice' })
    const other = await told.change('take_snapshot', { vmid, name: 'twice', description: 'by a person' })
    expect(await told.mistake(toolName, input)).toContain('it says "by a person", not "Taken by JARVIS."')
    await told.change(callOf(other).toolName, callOf(other).input)
  })

  test('a guest goes back to its snapshot, and a newer one on ZFS keeps it from that', async () => {
    const vmid = cluster.zfsVm
    const old = (await told.config(vmid)).description
    const oldest = (await told.snapshots(vmid)).length
    await told.change('take_snapshot', { vmid, name: 'base' })
    await told.change('set_guest_config', { vmid, set: { description: 'changed since' } })
    const { preview, undo } = await told.change('rollback_snapshot', { vmid, name: 'base' })
    expect(preview).toMatchObject({
      then: 'power cut at once → as it was then → running',
      affects: expect.stringContaining('Thrown away: what was written in the last'),
      basis: { snapshot: expect.stringMatching(/^base@\d+$/) },
    })
    expect(undo).toMatchObject({ kind: 'none' })
    expect((await told.config(vmid)).description).toBe(old)
    await told.change('take_snapshot', { vmid, name: 'newer' })
    expect(await told.mistake('rollback_snapshot', { vmid, name: 'base' })).toMatch(
      /\(zfspool\) goes back only to its newest snapshot\. Newer than base: newer\./,
    )
    for (const name of ['newer', 'base']) await told.change('delete_snapshot', { vmid, name })
    expect(await told.snapshots(vmid)).toHaveLength(oldest)
  })

  test('LVM-thin goes back past a newer snapshot, and says that it stays', async () => {
    const vmid = cluster.thinVm
    for (const name of ['base', 'newer']) await told.change('take_snapshot', { vmid, name })
    const { preview } = await told.change('rollback_snapshot', { vmid, name: 'base', start: true })
    expect(preview.affects).toContain('Newer snapshots stay: newer')
    for (const name of ['newer', 'base']) await told.change('delete_snapshot', { vmid, name })
  })

  test.each<[string, string, (on: Cluster) => ToolInput, string]>([
    ['take_snapshot', 'on a raw file', ({ rawVm }) => ({ vmid: rawVm, name: 'x1' }), 'every disk must allow it'],
    [
      'take_snapshot',
      'with a bind mount',
      ({ bindCt }) => ({ vmid: bindCt, name: 'x1' }),
      'mp0 outside of all storages',
    ],
    [
      'take_snapshot',
      'with RAM of a container',
      ({ zfsCt }) => ({ vmid: zfsCt, name: 'x1', ram: true }),
      'a container',
    ],
    [
      'take_snapshot',
      'under a name of JARVIS’s own',
      ({ zfsVm }) => ({ vmid: zfsVm, name: 'jarvis-1' }),
      'choose another',
    ],
    ['delete_snapshot', 'that is not there', ({ zfsVm }) => ({ vmid: zfsVm, name: 'none' }), 'has no snapshot none'],
    ['rollback_snapshot', 'that is not there', ({ zfsVm }) => ({ vmid: zfsVm, name: 'none' }), 'has no snapshot none'],
    ['take_snapshot', 'of nobody', () => ({ vmid: 99_999, name: 'x1' }), 'there is no guest 99999'],
    [
      'set_guest_config',
      'a key of the other type',
      ({ zfsCt }) => ({ vmid: zfsCt, set: { balloon: 0 } }),
      'a container has no balloon',
    ],
    ['set_guest_config', 'what is so already', ({ zfsVm }) => ({ vmid: zfsVm, set: { sockets: 1 } }), 'is so already'],
    [
      'set_guest_config',
      'nothing there',
      ({ zfsVm }) => ({ vmid: zfsVm, remove: ['ipconfig7'] }),
      'ipconfig7 is not set',
    ],
    [
      'set_guest_config',
      'a disk of another guest',
      ({ zfsVm }) => ({ vmid: zfsVm, set: { scsi7: 'local-zfs:vm-999-disk-0' } }),
      'is no disk of',
    ],
  ])('%s %s is a mistake', async (name, _what, inputOf, words) => {
    expect(await told.mistake(name, inputOf(cluster))).toContain(words)
  })

  test('a locked guest is left alone', async () => {
    const vmid = cluster.zfsVm
    await cluster.lock(vmid, 'backup')
    for (const [name, input] of [
      ['take_snapshot', { name: 'x1' }],
      ['set_guest_config', { set: { cores: 3 } }],
    ] as const) {
      expect(await told.mistake(name, { vmid, ...input })).toMatch(
        new RegExp(`${vmid} is locked \\(backup\\)\\. No running task .*: qm unlock ${vmid}\\.`),
      )
    }
    await cluster.lock(vmid, undefined)
  })

  test.each([
    ['zfsVm', { set: { description: 'ours', tags: 'a;b' } }],
    ['zfsCt', { set: { tags: 'shop;web' } }],
    ['zfsVm', { set: { cores: 3, memory: 3072 } }],
    ['zfsCt', { set: { cores: 3 }, remove: ['swap'] }],
    ['thinVm', { set: { net1: 'virtio,bridge=vmbr0' } }],
    ['rawVm', { set: { onboot: 1, startup: 'order=9' } }],
  ] as const)('%s is changed by %j, and its undo brings back what was', async (role, change) => {
    const vmid = cluster[role]
    const configured = async () => {
      const { digest: _, ...rest } = (await api.get(guestPathOf(cluster, vmid, 'config'), {}, calm)) as Record<
        string,
        unknown
      >
      return rest
    }
    const before = await configured()
    const done = await told.change('set_guest_config', { vmid, ...change })
    expect(await configured()).not.toEqual(before)
    const { toolName, input } = callOf(done)
    await told.change(toolName, input)
    const { parent: _p, ...after } = await configured()
    const { parent: _q, ...first } = before
    expect(after).toEqual(first)
    if (done.preview.later !== undefined) await told.change(done.preview.later.toolName, done.preview.later.input)
    expect((await told.snapshots(vmid)).filter((name) => name.startsWith('jarvis-'))).toEqual([])
  })

  test('what waits for the next stop is said, and a snapshot before it', async () => {
    const vmid = cluster.thinVm
    const done = await told.change('set_guest_config', { vmid, set: { cores: 7 } })
    const { preview, output } = done
    expect(output.data).toMatchObject({ ok: true, values: { cores: '7' }, pending: ['cores'] })
    expect(output.summary).toBe('cores changed; waiting for its next stop: cores')
    if (preview.later === undefined) expect(preview.then).toContain('no snapshot is taken before: ')
    else {
      expect(preview.then).toContain(
        `the snapshot ${preview.later.input.name} is taken, without RAM, and deleted after 24 h`,
      )
      expect(output.data).toMatchObject({ safetySnapshot: preview.later.input.name })
      expect(await told.snapshots(vmid)).toContain(preview.later.input.name)
      await told.change(preview.later.toolName, preview.later.input)
    }
    await told.change(callOf(done).toolName, callOf(done).input)
  })

  test('an undo after somebody else’s change is refused with the difference', async () => {
    const vmid = cluster.zfsCt
    const { toolName, input } = callOf(await told.change('set_guest_config', { vmid, set: { description: 'ours' } }))
    await cluster.changeBehind(vmid, 'description', 'theirs')
    expect(await told.mistake(toolName, input)).toBe(
      'expect: description is theirs now, and was left as ours: somebody changed it since. Nothing was changed.',
    )
    await cluster.changeBehind(vmid, 'description', 'ours')
    await told.change(toolName, input)
  })

  test.each(['zfsVm', 'zfsCt'] as const)(
    '%s is backed up, restored to a new guest, and the undo destroys that',
    async (role) => {
      const vmid = cluster[role]
      const { node, type } = guestOf(cluster, vmid)
      const backups = async () =>
        (await cluster.ports.cluster.backups({ vmid }, calm)).items.map(({ volumeId }) => volumeId)
      const before = await backups()
      const { undo } = await told.change('back_up_guest', { vmid, storage: cluster.backups })
      expect(undo).toMatchObject({ kind: 'none' })
      const [archive = raise('no backup')] = (await backups()).filter((volume) => !before.includes(volume))
      expect(await backups()).toHaveLength(before.length + 1)
      const to = { archive, newId: 900, name: 'restored', node, storage: cluster.disks }
      expect(await told.mistake('restore_guest', { ...to, newId: vmid })).toMatch(/newId: \d+ is in use; \d+ is free/)
      expect(await told.mistake('restore_guest', { ...to, archive: archive.replace(/\d{4}/, '1999') })).toContain(
        'is not there',
      )
      const done = await told.change('restore_guest', to)
      expect(guestOf(cluster, 900)).toMatchObject({ name: 'restored', type, node, status: 'stopped' })
      expect((await told.config(900)).net0).not.toBe((await told.config(vmid)).net0)
      expect((await told.change(callOf(done).toolName, callOf(done).input)).undo).toMatchObject({ kind: 'none' })
      expect(cluster.ports.cluster.state().guests.some((guest) => guest.vmid === 900)).toBe(false)
    },
  )

  test('a VM is copied; its undo destroys the copy, and no other guest that took its number', async () => {
    const vmid = cluster.zfsVm
    const done = await told.change('clone_guest', { vmid, newId: 901, name: 'copy' })
    const { status, name, node } = guestOf(cluster, 901)
    expect({ status, name, node }).toEqual({ status: 'stopped', name: 'copy', node: guestOf(cluster, vmid).node })
    expect(await told.mistake('clone_guest', { vmid, newId: 902, name: 'Copy' })).toContain('has that name')
    const { toolName, input } = callOf(done)
    await told.change('set_guest_config', { vmid: 901, set: { name: 'other' } })
    expect(await told.mistake(toolName, input)).toContain('901 is other, not copy: it is another guest than was meant')
    await told.change('set_guest_config', { vmid: 901, set: { name: 'copy', protection: 1 } })
    expect(await told.mistake(toolName, input)).toContain('protected in Proxmox')
    await told.change('set_guest_config', { vmid: 901, set: { protection: 0 } })
    await told.change(toolName, input)
    expect(cluster.ports.cluster.state().guests.some((guest) => guest.vmid === 901)).toBe(false)
  })

  test('a VM is made from an ISO, and unmade', async () => {
    const { node } = guestOf(cluster, cluster.zfsVm)
    const wanted = { type: 'vm', newId: 903, name: 'made', node, source: cluster.iso, storage: cluster.disks }
    const size = { diskGib: 8, cores: 2, memoryMib: 2048 }
    expect(
      await told.mistake('create_guest', { ...wanted, ...size, source: cluster.iso.replace('debian', 'beos') }),
    ).toContain('is not there. There are: ')
    await expect
      .poll(() => told.mistake('create_guest', { ...wanted, ...size, diskGib: 99_999 }))
      .toMatch(/has [\d.]+ GiB free, and 99999 GiB are needed/)
    expect(await told.mistake('create_guest', { ...wanted, ...size, storage: 'nowhere' })).toContain(
      'has no storage nowhere. Those that do: ',
    )
    const done = await told.change('create_guest', { ...wanted, ...size })
    expect(await told.config(903)).toMatchObject({
      cores: '2',
      memory: '2048',
      ide2: expect.stringContaining('media=cdrom'),
    })
    await told.change(callOf(done).toolName, callOf(done).input)
  })

  test.each(['zfsVm', 'thinVm'] as const)('a disk of %s grows, for good', async (role) => {
    const vmid = cluster[role]
    const size = async () => Number(/size=(\d+)G/.exec((await told.config(vmid)).scsi0 ?? '')?.[1])
    const before = await size()
    const { undo, preview } = await told.change('resize_disk', { vmid, disk: 'scsi0', addGib: 3 })
    expect(await size()).toBe(before + 3)
    expect(undo).toEqual({ kind: 'none', because: 'Disks do not shrink.' })
    if (preview.later !== undefined) await told.change(preview.later.toolName, preview.later.input)
    expect(await told.mistake('resize_disk', { vmid, disk: 'scsi9', addGib: 1 })).toContain('has no disk scsi9')
    // How much is free is not known for a while on a busy machine, whose fast clock makes the last answer old.
    const tooMuch = () => told.mistake('resize_disk', { vmid, disk: 'scsi0', addGib: 99_999 })
    await expect.poll(tooMuch).toContain('GiB are needed')
  })

  test('a guest moves to another node and back', async () => {
    const vmid = cluster.rawVm
    const { node } = guestOf(cluster, vmid)
    const done = await told.change('migrate_guest', { vmid, target: cluster.elsewhere })
    expect(guestOf(cluster, vmid).node).toBe(cluster.elsewhere)
    expect(callOf(done)).toMatchObject({ input: { vmid, target: node }, expects: { node: cluster.elsewhere } })
    await told.change(callOf(done).toolName, callOf(done).input)
    expect(guestOf(cluster, vmid).node).toBe(node)
    expect(await told.mistake('migrate_guest', { vmid: cluster.bindCt, target: cluster.elsewhere })).toMatch(
      /mp0 of \d+ is a device or folder|cannot move to/,
    )
  })

  test('a program runs in a VM by its agent', async () => {
    const vmid = cluster.thinVm
    const { preview, output } = await told.change('run_in_guest', { vmid, command: ['echo', 'a  b', 'c'] })
    expect(preview.now).toContain('its agent answers')
    expect(output).toMatchObject({ text: 'Exit code 0.\nstdout:\na  b c', data: { exitCode: 0, stdout: 'a  b c' } })
    if (preview.later !== undefined) await told.change(preview.later.toolName, preview.later.input)
    expect(await told.run('run_in_guest', { vmid, command: ['false'] })).toMatchObject({
      isError: true,
      data: { exitCode: 1 },
    })
    for (const name of (await told.snapshots(vmid)).filter((one) => one.startsWith('jarvis-')))
      await told.change('delete_snapshot', { vmid, name })
    expect(await told.mistake('run_in_guest', { vmid: cluster.zfsCt, command: ['id'] })).toContain(
      'A container has no agent',
    )
    expect(await told.mistake('run_in_guest', { vmid: cluster.rawVm, command: ['id'] })).toContain(
      'only a running guest',
    )
  })

  test('a running guest is not destroyed', async () => {
    const { vmid, name } = guestOf(cluster, cluster.zfsVm)
    expect(await told.mistake('destroy_guest', { vmid, name })).toContain('it must be stopped first')
  })

  test('a task that fails is told in Proxmox’s words', async () => {
    const vmid = cluster.zfsVm
    await cluster.failNextTask(vmid, 'no space left')
    const output = await told.run('take_snapshot', { vmid, name: 'never' })
    expect(output).toMatchObject({ isError: true, summary: 'Task failed: no space left', data: { ok: false } })
    expect(await told.snapshots(vmid)).not.toContain('never')
  })
})

const calm = { signal: new AbortController().signal }
const guestOf = ({ ports }: Cluster, vmid: number) =>
  ports.cluster.state().guests.find((guest) => guest.vmid === vmid) ?? raise(`no ${vmid}`)
function guestPathOf(cluster: Cluster, vmid: number, ...more: string[]) {
  const { node, type } = guestOf(cluster, vmid)
  return ['nodes', node, type === 'vm' ? 'qemu' : 'lxc', vmid, ...more]
}

test('why a guest cannot move to a node is said in words', async () => {
  const demo = await (clusters['the demo'] ?? raise('no demo'))()
  const told = speaking(demo)
  expect(await told.mistake('migrate_guest', { vmid: demo.zfsCt, target: 'pve' })).toBe(
    'target: 112 cannot move to pve (unavailable storages: local-zfs). Proxmox allows agent1.',
  )
  await demo.stop()
})

/** Storages and a thin pool as full as a test says, under a VM with one disk on each. */
function fullness(used: Partial<Record<'zfs' | 'thin' | 'metadata', number | null>>, isThinShown = true) {
  const share = { zfs: 0.3, thin: 0.3, metadata: 0.3, ...used }
  const storage = (name: string, type: string, usedBytes: number | null) =>
    ({ name, type, node: 'pve', usedBytes, totalBytes: 100, content: ['images'] }) as unknown as Storage
  const of = (part: number | null) => (part === null ? null : part * 100)
  const api = {
    now: () => 0,
    get: (path: readonly (string | number)[]) => {
      if (path.at(-1) === 'feature') return Promise.resolve({ hasFeature: 1 })
      return Promise.resolve(isThinShown ? [{ metadata_used: share.metadata, metadata_size: 1 }] : [])
    },
  } as unknown as PveApi
  const storages = [storage('fast', 'zfspool', of(share.zfs)), storage('thin', 'lvmthin', of(share.thin))]
  const config = { digest: 'd', values: { scsi0: 'fast:vm-1-disk-0,size=1G', scsi1: 'thin:vm-1-disk-1,size=1G' } }
  const place = { vmid: 1, node: 'pve', type: 'vm' } as const
  const change = { place, config: config as unknown as GuestConfig, change: '{}', storages }
  return safetyOf(api, change, { signal: AbortSignal.timeout(60_000) })
}

test.each<[string, Parameters<typeof fullness>, string | undefined]>([
  ['at 80 %', [{ zfs: 0.8, thin: 0.8, metadata: 0.8 }], undefined],
  ['a pool above', [{ zfs: 0.81 }], 'fast is 81 % full'],
  ['thin data above', [{ thin: 0.81 }], 'thin is 81 % full'],
  ['thin metadata above', [{ metadata: 0.81 }], 'the metadata of a thin pool is 81 % full'],
  ['a pool unknown', [{ zfs: null }], 'how full fast is, is not known'],
  ['thin metadata unknown', [{}, false], 'how full the metadata of its thin pool is, is not known'],
])('a safety snapshot is taken up to 80 %%: %s', async (_what, given, because) => {
  const safety = await fullness(...given)
  expect(safety).toEqual(because === undefined ? { name: expect.stringMatching(/^jarvis-19700101-/) } : { because })
})

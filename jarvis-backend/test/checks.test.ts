import { ApiError } from 'homelab-ports/failure'
import type { CommandOutput, PvePath, PveReader, Shell } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import { type ClusterState, type Limits, type RestoreProof, type Task, usualLimits } from 'protocol'
import { describe, expect, test } from 'vitest'
import { NoSshSetUp } from '../src/homelab/ssh/credentials.ts'
import { shippedRunbooks } from '../src/runbooks/shipped/index.ts'
import { CannotRun, type Check, type CheckPorts, type SeenPool } from '../src/watch/check.ts'
import { agentSilent } from '../src/watch/checks/agent-silent.ts'
import { backupFailedCheck } from '../src/watch/checks/backup-failed.ts'
import { backupVerify } from '../src/watch/checks/backup-verify.ts'
import { bridgeDown } from '../src/watch/checks/bridge-down.ts'
import { certificate } from '../src/watch/checks/certificate.ts'
import { corosyncLink, linksIn } from '../src/watch/checks/corosync-link.ts'
import { diskSmart } from '../src/watch/checks/disk-smart.ts'
import { diskWear } from '../src/watch/checks/disk-wear.ts'
import { guestDisk } from '../src/watch/checks/guest-disk.ts'
import { guestMemory } from '../src/watch/checks/guest-memory.ts'
import { guestStoppedCheck } from '../src/watch/checks/guest-stopped.ts'
import { guestUncovered } from '../src/watch/checks/guest-uncovered.ts'
import { haStateCheck } from '../src/watch/checks/ha-state.ts'
import { makeChecks } from '../src/watch/checks/index.ts'
import { kernelReboot } from '../src/watch/checks/kernel-reboot.ts'
import { memoryPressure } from '../src/watch/checks/memory-pressure.ts'
import { nodeClock } from '../src/watch/checks/node-clock.ts'
import { nodeHeat } from '../src/watch/checks/node-heat.ts'
import { nodeMemory } from '../src/watch/checks/node-memory.ts'
import { nodeRootDisk } from '../src/watch/checks/node-root-disk.ts'
import { outOfMemory } from '../src/watch/checks/out-of-memory.ts'
import { pbsJob } from '../src/watch/checks/pbs-job.ts'
import { heldFor } from '../src/watch/checks/pressure.ts'
import { qdeviceCheck } from '../src/watch/checks/qdevice.ts'
import { replication } from '../src/watch/checks/replication.ts'
import { repositories } from '../src/watch/checks/repositories.ts'
import { restoreUnproven } from '../src/watch/checks/restore-unproven.ts'
import { snapshotForgotten } from '../src/watch/checks/snapshot-forgotten.ts'
import { staleLock } from '../src/watch/checks/stale-lock.ts'
import { fullIn, storageForecast } from '../src/watch/checks/storage-forecast.ts'
import { storageFull } from '../src/watch/checks/storage-full.ts'
import { thinPool } from '../src/watch/checks/thin-pool.ts'
import { securityUpdates, updates } from '../src/watch/checks/updates.ts'
import { upsCheck } from '../src/watch/checks/ups.ts'
import { vmDisk } from '../src/watch/checks/vm-disk.ts'
import { zfsPool } from '../src/watch/checks/zfs-pool.ts'
import { zfsScrub } from '../src/watch/checks/zfs-scrub.ts'
import { failingRows } from './support/failing-rows.ts'
import { createSimulator } from './support/simulator.ts'

const dayMs = 86_400_000

test('every runbook that a check names comes with JARVIS', () => {
  const named = makeChecks().flatMap(({ runbooks = [] }) => runbooks)
  expect(named.filter((name) => !shippedRunbooks.has(name))).toEqual([])
})

type Changed = Omit<Partial<CheckPorts>, 'state'> & {
  /** Answers in place of the demo's, by path. */
  answers?: Record<string, unknown>
  /** Outputs of commands, by node and command. */
  prints?: Record<string, Partial<CommandOutput> | Error>
  state?: (state: ClusterState) => void
}

function portsOf({ answers = {}, prints = {}, state: change, ...own }: Changed = {}): CheckPorts {
  const lab = createSimulator({ clock: systemClock, protectedTargets: new Set() })
  const state = structuredClone(lab.cluster.state())
  change?.(state)
  const api: PveReader = {
    async get(path, query, ask) {
      const answer = answers[path.join('/')] ?? answers['*']
      if (answer instanceof Error) throw answer
      return answer ?? lab.api.get(path, query, ask)
    },
  }
  const shell: Pick<Shell, 'run'> = {
    async run(node, stages, options) {
      const print = prints[`${node}: ${stages[0]?.join(' ')}`] ?? prints['*']
      if (print instanceof Error) throw print
      return print === undefined
        ? lab.shell.run(node, stages, options)
        : { stdout: '', stderr: '', exitCode: 0, truncated: false, ...print }
    },
  }
  const { cluster } = lab
  const fixed = {
    limits: usualLimits,
    proofs: new Map(),
    samples: () => [],
    own: () => undefined,
    pools: { get: () => undefined, keep() {} },
    ask: async () => ({}),
    now: Date.now(),
  }
  return { ...fixed, state, api, cluster, shell, signal: AbortSignal.timeout(60_000), ...own }
}

/** The verdicts that are not well, by object. */
async function found(check: Check, changed?: Changed) {
  const { measures } = await check.look(portsOf(changed))
  return Object.fromEntries(
    measures
      .filter(({ level }) => level !== 'clear')
      .map(({ object, level, sentence }) => [object.id, [level, sentence]]),
  )
}

describe('the demo at its start', () => {
  test.each<[Check, Record<string, [string, RegExp]>]>([
    [agentSilent, {}],
    [vmDisk, {}],
    [bridgeDown, {}],
    [memoryPressure, {}],
    [backupVerify, {}],
    [certificate, {}],
    [corosyncLink, {}],
    [diskSmart, {}],
    [
      diskWear,
      { 'disk/pve/nvme0n1': ['look', /^Disk \/dev\/nvme0n1 \(Samsung.*\) on pve has 14 % of its life left\.$/] },
    ],
    [guestDisk, {}],
    [
      guestUncovered,
      {
        'vm/141': ['look', /^VM 141 pbs is in no backup job\.$/],
        'vm/142': ['look', /^VM 142 win11-lab is in no backup job but the disabled backup-lab\.$/],
      },
    ],
    [haStateCheck(), {}],
    [kernelReboot, { 'node/pve': ['info', /^pve runs kernel 6\.14\.11-4-pve; 6\.14\.11-6-pve is installed/] }],
    [nodeClock, {}],
    [nodeRootDisk, {}],
    [outOfMemory, {}],
    [replication, {}],
    [repositories, {}],
    [restoreUnproven, { site: ['info', /^No restore was ever proven\.$/] }],
    [snapshotForgotten, { 'vm/123': ['look', /^VM 123 frigate has kept the snapshot before-upgrade for 46 d\.$/] }],
    [staleLock, {}],
    [storageForecast, { 'storage/pve/nvme-fast': ['look', /^Storage nvme-fast is full in about 12 d, 91 % now\.$/] }],
    [
      thinPool,
      { 'pool/agent1/pve/data': ['failed', /^Thin pool pve\/data on agent1: data 62 %, metadata 91 % full\.$/] },
    ],
    [upsCheck(), {}],
    [zfsPool, {}],
    [zfsScrub, { 'pool/pve/nvme-fast': ['look', /^ZFS pool nvme-fast on pve was last scrubbed 96 d ago\.$/] }],
  ])('$id', async (check, expected) => {
    const seen = await found(check)
    expect(Object.keys(seen).sort()).toEqual(Object.keys(expected).sort())
    for (const [id, [level, sentence]] of Object.entries(expected)) {
      expect(seen[id]?.[0]).toBe(level)
      expect(seen[id]?.[1]).toMatch(sentence)
    }
  })

  test('backups failed in the night', async () => {
    const seen = await found(backupFailedCheck())
    expect(Object.keys(seen)).toHaveLength(9)
    expect(seen['ct/105']).toEqual([
      'failed',
      expect.stringMatching(/^The backup of CT 105 immich failed 6 h ago: could not activate storage 'pbs-main'.*\.$/),
    ])
  })

  test('updates wait on every node', async () => {
    expect(await found(updates)).toMatchObject({ 'node/pve': ['info', '2 updates wait on pve.'] })
    expect(await found(securityUpdates)).toMatchObject({ 'node/pve': ['look', '1 security update waits on pve.'] })
  })
})

/** A clock that is read when it is asked, however late that is. */
const clock = (offS: number) => ({
  get time() {
    return Math.floor(Date.now() / 1000) + offS
  },
})
const in_ = (days: number) => Math.floor((Date.now() + days * dayMs) / 1000)
const proof = (vmid: number, agoDays: number, verdict: RestoreProof['verdict'] = 'proven'): [number, RestoreProof] => [
  vmid,
  {
    id: 'd',
    vmid,
    type: 'ct',
    name: 'x',
    level: 5,
    verdict,
    at: Date.now() - agoDays * dayMs,
    archive: 'a',
    archiveAt: 0,
    notProven: [],
  },
]
const guest = (vmid: number, change: object) => (state: ClusterState) =>
  void Object.assign(state.guests.find((one) => one.vmid === vmid) ?? {}, change)
const certificates = (days: number) => [{ filename: 'pve-ssl.pem', notafter: in_(days) }]
const haRows = (state: string, agoS = 5, clockS = 0) => [
  { id: 'quorum', type: 'quorum', quorate: 1 },
  { type: 'master', node: 'Home', status: 'Home (active)', timestamp: Math.floor(Date.now() / 1000) - clockS },
  { type: 'lrm', node: 'pve', status: 'pve (active)', timestamp: Math.floor(Date.now() / 1000) - clockS - agoS },
  { type: 'service', sid: 'ct:113', node: 'Home', state },
]
const job = (fail_count: number, more: object = {}) => [
  { id: '120-0', guest: 120, target: 'Home', last_sync: in_(-1), fail_count, ...more },
]
const pool = { name: 'local-zfs', size: 10, alloc: 5, health: 'ONLINE' }
const device = (of: object) => ({ name: 'sda', state: 'ONLINE', read: 0, write: 0, cksum: 0, ...of })
const detail = (of: object, root = {}) => ({
  errors: 'No known data errors',
  scan: 'none',
  children: [device(of)],
  ...root,
})
const zfs = 'nodes/Home/disks/zfs'
const status = (line: string) => ({ 'Home: upsc rack ups.status': { stdout: `${line}\n` } })

test.each<[string, Check, Changed, string, string | undefined]>([
  [
    'ends in 13 d',
    certificate,
    { answers: { 'nodes/pve/certificates/info': certificates(13) } },
    'node/pve',
    undefined,
  ],
  ['ends in 11 d', certificate, { answers: { 'nodes/pve/certificates/info': certificates(11) } }, 'node/pve', 'look'],
  ['ends in 2 d', certificate, { answers: { 'nodes/pve/certificates/info': certificates(2) } }, 'node/pve', 'failed'],
  ['ended', certificate, { answers: { 'nodes/pve/certificates/info': certificates(-2) } }, 'node/pve', 'failed'],
  ['says nothing', certificate, { answers: { 'nodes/pve/certificates/info': [] } }, 'node/pve', 'unseen'],
  ['5 s ahead', nodeClock, { answers: { 'nodes/pve/time': clock(5) } }, 'node/pve', 'look'],
  ['a minute behind', nodeClock, { answers: { 'nodes/pve/time': clock(-60) } }, 'node/pve', 'failed'],
  ['in error', haStateCheck(), { answers: { 'cluster/ha/status/current': haRows('error') } }, 'ct/113', 'failed'],
  ['fenced', haStateCheck(), { answers: { 'cluster/ha/status/current': haRows('fence') } }, 'ct/113', 'failed'],
  ['silent', haStateCheck(), { answers: { 'cluster/ha/status/current': haRows('started', 300) } }, 'node/pve', 'look'],
  [
    'a clock of the cluster that is ten minutes behind',
    haStateCheck(),
    { answers: { 'cluster/ha/status/current': haRows('started', 5, 600) } },
    'node/pve',
    undefined,
  ],
  ['1 failure', replication, { answers: { 'nodes/pve/replication': job(1) } }, 'replication/120-0', 'between'],
  ['2 failures', replication, { answers: { 'nodes/pve/replication': job(2) } }, 'replication/120-0', 'failed'],
  [
    '2 failures of a disabled job',
    replication,
    { answers: { 'nodes/pve/replication': job(2, { disable: 1 }) } },
    'replication/120-0',
    undefined,
  ],
  [
    'degraded',
    zfsPool,
    { answers: { [zfs]: [{ ...pool, health: 'DEGRADED' }], [`${zfs}/local-zfs`]: detail({}) } },
    'pool/Home/local-zfs',
    'failed',
  ],
  [
    'one checksum error',
    zfsPool,
    { answers: { [zfs]: [pool], [`${zfs}/local-zfs`]: detail({ cksum: 1 }) } },
    'pool/Home/local-zfs',
    'look',
  ],
  [
    'known data errors',
    zfsPool,
    { answers: { [zfs]: [pool], [`${zfs}/local-zfs`]: detail({}, { errors: '2 data errors' }) } },
    'pool/Home/local-zfs',
    'look',
  ],
  [
    'details unread',
    zfsPool,
    { answers: { [zfs]: [pool], [`${zfs}/local-zfs`]: new Error('x') } },
    'pool/Home/local-zfs',
    'unseen',
  ],
  [
    'scrubbed now',
    zfsScrub,
    { answers: { [zfs]: [pool], [`${zfs}/local-zfs`]: detail({}, { scan: 'scrub in progress since' }) } },
    'pool/Home/local-zfs',
    undefined,
  ],
  [
    'SMART failed',
    diskSmart,
    { answers: { 'nodes/pve/disks/list': [{ devpath: '/dev/sdd', health: 'FAILED' }] } },
    'disk/pve/sdd',
    'failed',
  ],
  [
    'SMART unknown',
    diskSmart,
    { answers: { 'nodes/pve/disks/list': [{ devpath: '/dev/sdd', health: 'UNKNOWN' }] } },
    'disk/pve/sdd',
    'unseen',
  ],
  [
    '20 % left',
    diskWear,
    { answers: { 'nodes/pve/disks/list': [{ devpath: '/dev/sdd', wearout: 20 }] } },
    'disk/pve/sdd',
    'look',
  ],
  [
    '9 % left',
    diskWear,
    { answers: { 'nodes/pve/disks/list': [{ devpath: '/dev/sdd', wearout: 9 }] } },
    'disk/pve/sdd',
    'failed',
  ],
  [
    'a disk without wear',
    diskWear,
    { answers: { 'nodes/pve/disks/list': [{ devpath: '/dev/sdd', wearout: 'N/A' }] } },
    'disk/pve/sdd',
    undefined,
  ],
  [
    'metadata unknown',
    thinPool,
    { answers: { 'nodes/pve/disks/lvmthin': [{ vg: 'a', lv: 'b', lv_size: 10, used: 1 }] } },
    'pool/pve/a/b',
    'unseen',
  ],
  [
    'metadata unknown, data full',
    thinPool,
    { answers: { 'nodes/pve/disks/lvmthin': [{ vg: 'a', lv: 'b', lv_size: 10, used: 9.5 }] } },
    'pool/pve/a/b',
    'failed',
  ],
  [
    'killed',
    outOfMemory,
    { answers: { 'nodes/pve/journal': ['Oct 1 pve kernel: Out of memory: Killed process 4 (x)'] } },
    'node/pve',
    'failed',
  ],
  [
    'a source is broken',
    repositories,
    { answers: { 'nodes/pve/apt/repositories': { errors: [{ path: '/etc/apt/x.list', error: 'no' }] } } },
    'node/pve',
    'look',
  ],
  ['proven 10 d ago', restoreUnproven, { proofs: new Map([proof(104, 10)]) }, 'ct/104', undefined],
  ['proven 100 d ago', restoreUnproven, { proofs: new Map([proof(104, 100)]) }, 'ct/104', 'look'],
  ['restore failed', restoreUnproven, { proofs: new Map([proof(104, 1, 'failed')]) }, 'ct/104', 'failed'],
  ['disk 91 % full', guestDisk, { state: guest(104, { diskBytes: 91, diskTotalBytes: 100 }) }, 'ct/104', 'look'],
  ['disk 87 % full', guestDisk, { state: guest(104, { diskBytes: 87, diskTotalBytes: 100 }) }, 'ct/104', 'between'],
  ['disk unknown', guestDisk, { state: guest(104, { diskBytes: null }) }, 'ct/104', 'unseen'],
  ['stopped', guestDisk, { state: guest(104, { status: 'stopped', diskBytes: null }) }, 'ct/104', undefined],
  ['locked', staleLock, { state: guest(104, { lock: 'backup' }) }, 'ct/104', 'look'],
  ['made an hour ago', guestUncovered, { state: guest(141, { madeAt: Date.now() - dayMs / 24 }) }, 'vm/141', 'between'],
  ['jobs unread', guestUncovered, { answers: { 'cluster/backup': new Error('x') } }, 'vm/100', 'unseen'],
  [
    'agent silent',
    agentSilent,
    {
      answers: {
        'nodes/Home/qemu/101/agent/get-osinfo': new ApiError('cluster_refused', 'QEMU guest agent is not running'),
      },
    },
    'vm/101',
    'look',
  ],
  ['on battery', upsCheck(), { prints: status('OB DISCHRG') }, 'ups/Home/rack', 'look'],
  ['battery low', upsCheck(), { prints: status('OB LB') }, 'ups/Home/rack', 'failed'],
  ['not heard of', upsCheck(), { prints: status('WAIT') }, 'ups/Home/rack', 'unseen'],
  [
    'a link down',
    corosyncLink,
    {
      prints: {
        'pve: corosync-cfgtool -n': { stdout: 'nodeid: 2 reachable\n LINK: 0 udp (a->b) enabled disconnected' },
      },
    },
    'node/pve',
    'look',
  ],
  ['no link seen', corosyncLink, { prints: { 'pve: corosync-cfgtool -n': { stdout: 'x' } } }, 'node/pve', 'unseen'],
])('%s: $id', async (_what, check, changed, object, level) => {
  expect((await found(check, changed))[object]?.[0]).toBe(level)
})

const sweeps = [
  agentSilent,
  backupFailedCheck(),
  certificate,
  diskSmart,
  diskWear,
  kernelReboot,
  nodeClock,
  nodeRootDisk,
  outOfMemory,
].concat([
  replication,
  repositories,
  snapshotForgotten,
  storageForecast,
  thinPool,
  zfsPool,
  zfsScrub,
  corosyncLink,
  updates,
])

test.each(sweeps)('what is on a node that is away stays unread: $id', async (check) => {
  const { measures, unread } = await check.look(
    portsOf({
      state: (state) => void Object.assign(state.nodes.find(({ name }) => name === 'pve') ?? {}, { status: 'offline' }),
    }),
  )
  expect([...unread.keys()]).toContain('pve')
  expect(measures.filter(({ object }) => object.node === 'pve' && check.id !== 'backup-failed')).toEqual([])
})

const forbidden = new ApiError('cluster_refused', 'The token lacks a right.', { status: 403 })
const withApi = [
  agentSilent,
  vmDisk,
  bridgeDown,
  memoryPressure,
  qdeviceCheck(),
  certificate,
  diskSmart,
  diskWear,
  guestUncovered,
  haStateCheck(),
  kernelReboot,
  nodeClock,
  outOfMemory,
].concat([replication, repositories, storageForecast, thinPool, zfsPool, zfsScrub, updates])

test.each(withApi)('without the right it cannot run, and says so: $id', async (check) => {
  await expect(Promise.resolve(check.look(portsOf({ answers: { '*': forbidden } })))).rejects.toBeInstanceOf(CannotRun)
})

test('a cache that gives way is no used memory, where the node tells it', async () => {
  const gib = 2 ** 30
  const of = async (used: number, answers: Record<string, unknown>) => {
    const state = (state: ClusterState) =>
      void Object.assign(state.nodes.find(({ name }) => name === 'pve') ?? {}, {
        ramBytes: used * gib,
        ramTotalBytes: 64 * gib,
      })
    return (await found(nodeMemory, { state, answers }))['node/pve']
  }
  const arc = (gibs: number) => ({ 'nodes/pve/rrddata': [{ time: 1, arcsize: gibs * gib }, { time: 2 }] })
  const available = (gibs: number) => ({ 'nodes/pve/status': { memory: { total: 64 * gib, available: gibs * gib } } })
  expect(await of(60, arc(31))).toBeUndefined()
  expect(await of(60, available(30))).toBeUndefined()
  expect(await of(63, { ...arc(2), ...available(1) })).toEqual([
    ...['look', 'pve uses 98 % of its memory, of it 2 GiB ZFS cache.'],
  ])
  const plain = ['look', 'pve uses 94 % of its memory.']
  expect(await of(60, { ...arc(0), ...available(4) })).toEqual(plain)
  // Before Proxmox VE 9, and where nothing can be read.
  expect(await of(60, { 'nodes/pve/rrddata': [], 'nodes/pve/status': { memory: { total: 64 * gib } } })).toEqual(plain)
  expect(await of(60, { 'nodes/pve/rrddata': new Error('x'), 'nodes/pve/status': new Error('x') })).toEqual(plain)
  expect(await of(60, { ...arc(31), 'nodes/pve/status': new Error('x') })).toBeUndefined()
})

test('a scrub stays known after what ZFS tells instead of it, and a new pool has 40 days', async () => {
  const kept = new Map<string, SeenPool>()
  const pools = { get: (id: string) => kept.get(id), keep: (id: string, one: SeenPool) => void kept.set(id, one) }
  const at = async (day: string, scan: string | undefined, name = 'local-zfs') => {
    const answers = { [zfs]: [{ ...pool, name }], [`${zfs}/${name}`]: detail({}, { scan }) }
    const { measures } = await zfsScrub.look(portsOf({ answers, pools, now: Date.parse(`${day} 2026 12:00 UTC`) }))
    const [seen] = measures.filter(({ object }) => object.id === `pool/Home/${name}`)
    return [seen?.level, seen?.sentence.replace(/^ZFS pool \S+ on Home /, '')]
  }
  const rows: [day: string, scan: string | undefined, level: string, words: RegExp][] = [
    [
      '9 Nov',
      'scrub repaired 0B in 03:10:22 with 0 errors on Sun Nov  8 03:34:23 2026',
      'clear',
      /^was last scrubbed 32 h ago\.$/,
    ],
    [
      '22 Nov',
      'resilvered 2.31T in 1 days 02:55:32 with 0 errors on Sat Nov 21 02:33:08 2026',
      'clear',
      /scrubbed 14 d.* ago\. It was resilvered since, which is no scrub/,
    ],
    [
      '23 Nov',
      'resilvered (mirror-0) 2.31T in 02:55:32 with 0 errors on Sat Nov 21 02:33:08 2026',
      'clear',
      /15 d.* ago\. It was resil/,
    ],
    ['24 Nov', 'scrub canceled on Fri Nov 27 11:02:10 2026', 'clear', /16 d.* ago\. A scrub of it was canceled/],
    ['24 Nov', 'scrub cancelled on Fri Nov 27 11:02:10 2026', 'clear', /was canceled/],
    [
      '25 Nov',
      'scrub paused since Fri Nov 27 11:02:10 2026\n\tscrub started on Fri Nov 27 10:00:00 2026',
      'clear',
      /A scrub of it is paused/,
    ],
    [
      '25 Nov',
      'resilver in progress since Fri Nov 27 11:02:10 2026 1.10T / 2.31T scanned at 200M/s',
      'clear',
      /resilvered now, which is no scrub/,
    ],
    ['25 Nov', 'resilver (draid1-0) in progress since Fri Nov 27 11:02:10 2026', 'clear', /resilvered now/],
    ['25 Nov', 'resilver canceled on Fri Nov 27 11:02:10 2026', 'clear', /A resilver of it was canceled/],
    ['25 Nov', undefined, 'clear', /last scrubbed 17 d.* ago\.$/],
    [
      '20 Dec',
      'resilver in progress since Fri Nov 27 11:02:10 2026',
      'look',
      /scrubbed 42 d.* ago\. It is resilvered now/,
    ],
    ['20 Dec', 'error scrub in progress since Fri Nov 27 11:02:10 2026', 'look', /scrubbed 42 d.* ago\.$/],
    [
      '20 Dec',
      'scrub in progress since Sun Dec 20 11:02:10 2026\n\t1.10T / 2.31T scanned',
      'clear',
      /^is scrubbed now/,
    ],
    [
      '21 Dec',
      'scrub repaired 4K in 03:10:22 with 2 errors on Sun Dec 20 14:34:23 2026 scrub started',
      'clear',
      /scrubbed 21 h ago/,
    ],
    // Another pool of the same name.
    ['22 Dec', 'none requested', 'clear', /no finished scrub is known since JARVIS first saw it 0 s ago/],
    ['31 Dec', 'none requested', 'clear', /first saw it 9 d.* ago/],
  ]
  const wrong = await failingRows(rows, async ([day, scan, level, words]) => {
    expect(await at(day, scan)).toEqual([level, expect.stringMatching(words)])
  })
  expect(wrong).toEqual([])
  expect((await at('1 Jan', 'scrub canceled on Fri Nov 27 11:02:10 2026', 'new'))[0]).toBe('clear')
  expect(await at('12 Feb', 'resilvered 1G in 00:00:32 with 0 errors on Sat Feb  7 02:33:08 2026', 'new')).toEqual([
    ...['look', expect.stringMatching(/no finished scrub is known since JARVIS first saw it 42 d.* ago/)],
  ])
})

const disks = (...of: [mountpoint: string, type: string, used?: number, size?: number][]) => ({
  result: of.map(([mountpoint, type, used, size = 2 ** 30]) => ({
    name: 'x',
    mountpoint,
    type,
    disk: [],
    ...(used !== undefined && { 'total-bytes': 100 * size, 'used-bytes': used * size }),
  })),
})
const homeAssistant = 'nodes/Home/qemu/101'
test.each<[string, unknown, Record<string, [string, string]>]>([
  [
    'the fullest filesystem counts, without images that are always full',
    disks(['/', 'ext4', 40], ['/data', 'ext4', 98], ['/snap/core', 'squashfs', 100]),
    { 'vm/101': ['failed', 'The disks of VM 101 homeassistant: /data 98 % full.'] },
  ],
  [
    'what is full by nature counts nothing: a loader, firmware, recovery, and what is small',
    disks(
      ['/', 'ext4', 40],
      ['/boot', 'ext4', 97, 2 ** 26],
      ['/boot/efi', 'vfat', 99, 2 ** 28],
      ['\\\\?\\Volume{5f1b}\\', 'ntfs', 99, 2 ** 28],
      ['/opt/small', 'ext4', 99, 2 ** 20],
    ),
    {},
  ],
  ['a value within the hysteresis', disks(['/', 'ext4', 88]), { 'vm/101': ['between', expect.any(String) as string] }],
  [
    'an agent that names no size is not taken for well',
    disks(['/', 'ext4']),
    { 'vm/101': ['unseen', expect.any(String) as string] },
  ],
  [
    'nor one that does not answer',
    new ApiError('cluster_refused', 'QEMU guest agent is not running'),
    { 'vm/101': ['unseen', expect.any(String) as string] },
  ],
])('disks of a VM: %s', async (_what, answer, expected) => {
  expect(await found(vmDisk, { answers: { [`${homeAssistant}/agent/get-fsinfo`]: answer } })).toEqual(expected)
})

test('what an operator leaves out by mount point, type or size is not looked at, in a guest and as a storage', async () => {
  const leaving = (leaveOut: Limits['leaveOut']) => ({ limits: { ...usualLimits, ...(leaveOut && { leaveOut }) } })
  const of = disks(['/', 'ext4', 40], ['/mnt/media/films', 'ntfs', 99], ['/data', 'xfs', 98, 2 ** 24])
  const fullest = async (leaveOut: Limits['leaveOut']) =>
    found(vmDisk, { ...leaving(leaveOut), answers: { [`${homeAssistant}/agent/get-fsinfo`]: of } })
  const none = { names: [], types: [] }
  expect(await fullest(undefined)).toMatchObject({ 'vm/101': ['failed', expect.stringContaining('/mnt/media')] })
  expect(await fullest({ ...none, names: ['/mnt/*'] })).toMatchObject({
    'vm/101': ['failed', expect.stringContaining('/data')],
  })
  expect(await fullest({ names: ['/data'], types: ['NTFS'] })).toEqual({})
  expect(await fullest({ ...none, types: ['ntfs'], belowBytes: 2 ** 33 })).toEqual({})
  expect(await fullest({ ...none, names: ['/', '/mnt/*', '/data'] })).toEqual({})

  const state = ({ storages: [first] }: ClusterState) => {
    if (first !== undefined)
      Object.assign(first, { name: 'media', type: 'nfs', isActive: true, usedBytes: 99, totalBytes: 100 })
  }
  const storages = async (leaveOut: Limits['leaveOut']) =>
    JSON.stringify(await found(storageFull, { ...leaving(leaveOut), state }))
  expect(await storages(undefined)).toContain('media')
  for (const leaveOut of [
    { ...none, names: ['media'] },
    { ...none, types: ['nfs'] },
    { ...none, belowBytes: 101 },
  ])
    expect(await storages(leaveOut)).not.toContain('media')
})

test('a QDevice that was seen and is gone, or is not connected, is told; where there was none, it cannot run', async () => {
  const check = qdeviceCheck()
  const path = 'cluster/config/qdevice'
  await expect(found(check, { answers: { [path]: {} } })).rejects.toBeInstanceOf(CannotRun)
  const up = { State: 'Connected', 'QNetd host': '10.0.4.9:5403', Model: 'Net' }
  expect(await found(check, { answers: { [path]: up } })).toEqual({})
  expect(await found(check, { answers: { [path]: { ...up, State: 'Connecting' } } })).toEqual({
    site: ['look', 'The QDevice at 10.0.4.9:5403 is connecting: its vote is missing.'],
  })
  expect(await found(check, { answers: { [path]: {} } })).toEqual({
    site: ['look', 'The QDevice at 10.0.4.9:5403 is not running: its vote is missing.'],
  })
})

test('memory pressure counts where it lasts for five minutes, and is unknown to an older Proxmox', async () => {
  expect([heldFor([1, 50, 1], 5), heldFor([50, 50, 2, 50, 50, 50], 5), heldFor([1, 12, 13, 14, 15, 16, 1], 5)]).toEqual(
    [...[undefined, 2, 12]],
  )
  const rows = (...values: (number | undefined)[]) =>
    values.map((pressurememoryfull, index) => ({ time: index * 60, pressurememoryfull }))
  const path = 'nodes/pve/rrddata'
  expect(await found(memoryPressure, { answers: { [path]: rows(0, 12, 13, 14, 15, 16, 0) } })).toEqual({
    'node/pve': ['look', 'All that runs on pve waited for memory 12 % of the time.'],
  })
  expect(await found(memoryPressure, { answers: { [path]: rows(undefined, 3) } })).toEqual({
    'node/pve': ['unseen', 'The memory pressure of pve is not known.'],
  })
  await expect(found(memoryPressure, { answers: { '*': rows(undefined) } })).rejects.toBeInstanceOf(CannotRun)
})

test('a bridge that starts with its node and is not active is told, and unknown where Proxmox does not say', async () => {
  const bridge = (iface: string, more: object = {}) => ({ iface, type: 'bridge', autostart: 1, ...more })
  const answers = (...data: object[]) => ({ answers: { 'nodes/pve/network': { data } } })
  const well = { active: 1 }
  expect(
    await found(bridgeDown, answers(bridge('vmbr0', well), bridge('vmbr1'), bridge('vmbr2', { autostart: 0 }))),
  ).toEqual({
    'bridge/pve/vmbr1': ['failed', 'Bridge vmbr1 of pve is not active: its guests have no network.'],
  })
  expect(Object.values(await found(bridgeDown, answers(bridge('vmbr0'))))).toMatchObject([['unseen', {}]])
})

test.each([corosyncLink, upsCheck()])('without SSH or the program it cannot run: $id', async (check) => {
  for (const print of [new NoSshSetUp(), { exitCode: 127, stderr: 'not found' }])
    await expect(Promise.resolve(check.look(portsOf({ prints: { '*': print } })))).rejects.toBeInstanceOf(CannotRun)
})

test('broken and old verifications, where the backup server can be read', async () => {
  const backup = (vmid: number, verification: 'ok' | 'failed' | 'none', agoDays: number) => ({
    volumeId: `pbs-main:${vmid}/${agoDays}`,
    vmid,
    storage: 'pbs-main',
    createdAt: Date.now() - agoDays * dayMs,
    sizeBytes: 1,
    format: 'pbs-ct',
    verification,
  })
  const items = [
    backup(104, 'ok', 1),
    backup(104, 'failed', 2),
    backup(105, 'ok', 40),
    backup(120, 'none', 40),
    backup(121, 'none', 2),
  ]
  const { cluster } = portsOf()
  const ports = portsOf({ cluster: { ...cluster, backups: async () => ({ items, missing: [] }) } })
  const { measures } = await backupVerify.look(ports)
  expect(measures.map(({ object, level }) => [object.id, level])).toEqual([
    ['ct/104', 'failed'],
    ['ct/105', 'look'],
    ['ct/120', 'look'],
    ['ct/121', 'clear'],
  ])
})

test('a snapshot of ours is forgotten once its own date is past', async () => {
  const own = (until: number) => ({ own: (vmid: number) => (vmid === 123 ? { until } : undefined) })
  expect(Object.keys(await found(snapshotForgotten, own(Date.now() + 1_000)))).toEqual([])
  expect(Object.keys(await found(snapshotForgotten, own(Date.now() - 1_000)))).toEqual(['vm/123'])
})

test('a forecast is a line through a month', () => {
  const days = Array.from({ length: 30 }, (_, at) => at - 29)
  expect(
    fullIn(
      days.map((at) => ({ at, used: 90 + at })),
      100,
    ),
  ).toBeCloseTo(10)
  expect(
    fullIn(
      days.map((at) => ({ at, used: 50 - at })),
      100,
    ),
  ).toBeNull()
  expect(
    fullIn(
      days.map((at) => ({ at, used: 50 })),
      100,
    ),
  ).toBeNull()
  expect(
    fullIn(
      days.slice(0, 6).map((at) => ({ at, used: 90 + at })),
      100,
    ),
  ).toBeUndefined()
})

test('links of corosync, as it prints them', () => {
  const text = `Local node ID 1, transport knet
nodeid: 2 reachable
   LINK: 0 udp (10.0.0.1->10.0.0.2) enabled connected mtu: 1397
   LINK: 1 udp (10.1.0.1->10.1.0.2) enabled disconnected mtu: 1397

nodeid: 3 reachable
   LINK: 0 udp (10.0.0.1->10.0.0.3) enabled connected mtu: 1397
`
  expect(linksIn(text)).toEqual([
    { peer: '2', link: '0', isConnected: true },
    { peer: '2', link: '1', isConnected: false },
    { peer: '3', link: '0', isConnected: true },
  ])
})

test('each check names the lists of the state that it goes by', async () => {
  const lists = ['nodes', 'guests', 'storages', 'tasks'] as const
  const wrong: string[] = []
  for (const check of makeChecks()) {
    const asked = new Set<string>()
    const ports = portsOf()
    const state = new Proxy(ports.state, {
      get(of, key) {
        asked.add(String(key))
        return Reflect.get(of, key) as unknown
      },
    })
    await Promise.resolve(check.look({ ...ports, state })).catch(() => {})
    // It knows by itself when nothing was read.
    if (check.id === 'cluster-away') continue
    // Where a backup may go is only an input of its runbook: without the list, the alert stands all the same.
    if (/^backup-|^guest-uncovered$/.test(check.id)) asked.delete('storages')
    for (const list of lists) if (asked.has(list) && !check.from.includes(list)) wrong.push(`${check.id}: ${list}`)
  }
  expect(wrong).toEqual([])
})

const vzdump = (upid: string, agoMin: number, more: Partial<Task>): Task => ({
  upid,
  node: 'pve',
  type: 'vzdump',
  user: 'root@pam',
  status: 'ok',
  exitStatus: 'OK',
  startedAt: Date.now() - (agoMin + 5) * 60_000,
  endedAt: Date.now() - agoMin * 60_000,
  ...more,
})
/** Lets the check look at these tasks of pve, with the log of each that is read. */
function backups(tasks: Task[], logs: Record<string, string[] | Error>): CheckPorts {
  const ports = portsOf({
    answers: Object.fromEntries(
      Object.entries(logs).map(([upid, lines]) => [
        `nodes/pve/tasks/${upid}/log`,
        lines instanceof Error ? lines : lines.map((t, n) => ({ n, t })),
      ]),
    ),
  })
  const cluster = {
    ...ports.cluster,
    tasks: async ({ node }: { node?: string }) => ({ items: node === 'pve' ? tasks : [], missing: [] }),
  }
  return { ...ports, cluster }
}
const jobLog = (...of: [vmid: number, why?: string][]) => [
  'INFO: starting new backup job: vzdump --all 1 --storage nas --mode snapshot',
  ...of.flatMap(([vmid, why]) => [
    `INFO: Starting Backup of VM ${vmid} (qemu)`,
    why === undefined
      ? `INFO: Finished Backup of VM ${vmid} (00:00:41)`
      : `ERROR: Backup of VM ${vmid} failed - ${why}`,
  ]),
]
const failedJob: Partial<Task> = { status: 'failed', exitStatus: 'job errors' }

test('a job of several guests fires for the guest that failed in it, with the words of its line, and its log is read once', async () => {
  const check = backupFailedCheck()
  const log = [
    ...jobLog([103, 'got timeout'], [104]),
    'INFO: Backup job finished with errors',
    'TASK ERROR: job errors',
  ]
  const tasks = [vzdump('U:2', 30, failedJob), vzdump('U:1', 3_000, { vmid: 103 })]
  const seen = await check.look(backups(tasks, { 'U:2': log }))
  const bad = seen.measures.filter(({ level }) => level !== 'clear')
  expect(bad.map(({ object, sentence }) => [object.id, sentence])).toEqual([
    ['vm/103', expect.stringMatching(/^The backup of VM 103 .* failed 30 min ago: got timeout\.$/)],
  ])
  expect(seen.measures.map(({ object }) => object.id)).toContain('ct/104')
  // The log is gone from now on, and is not asked for.
  const again = await check.look(backups(tasks, { 'U:2': new Error('no such task') }))
  expect(again.measures.filter(({ level }) => level === 'failed').map(({ object }) => object.id)).toEqual(['vm/103'])
  // The next night went well.
  const well = await check.look(backups([vzdump('U:3', 1, {}), ...tasks], { 'U:3': jobLog([103], [104]) }))
  expect(well.measures.filter(({ level }) => level !== 'clear')).toEqual([])
})

test.each<[string, string[] | Error, [string, string, RegExp][]]>([
  [
    'a log that cannot be read',
    new Error('403 Permission check failed'),
    [
      ['node/pve', 'failed', /^A backup job on pve failed 30 min ago: which guests is not known/],
      ['vm/103', 'unseen', /not known/],
    ],
  ],
  [
    'a job that failed before any guest',
    ['INFO: starting new backup job: vzdump --all 1', "TASK ERROR: could not activate storage 'nas'"],
    [['node/pve', 'failed', /^A backup job on pve failed 30 min ago: could not activate storage 'nas'\.$/]],
  ],
  [
    'a job that was stopped in the middle of a guest',
    [...jobLog([104]), 'INFO: Starting Backup of VM 103 (qemu)', 'TASK ERROR: interrupted by signal'],
    [['vm/103', 'failed', /failed 30 min ago: interrupted by signal\.$/]],
  ],
])('a job of several guests: %s', async (_what, log, expected) => {
  const tasks = [vzdump('U:2', 30, failedJob), vzdump('U:1', 3_000, { vmid: 103 })]
  const { measures } = await backupFailedCheck().look(backups(tasks, { 'U:2': log }))
  const bad = measures.filter(({ level, object }) => level !== 'clear' && ['node/pve', 'vm/103'].includes(object.id))
  expect(bad.map(({ object, level, sentence }) => [object.id, level, sentence])).toEqual(
    expected.map(([id, level, sentence]) => [id, level, expect.stringMatching(sentence)]),
  )
})

const running = (type: string, more: Partial<Task> = {}): Task => ({
  upid: `UPID:${type}`,
  node: 'pve',
  type,
  user: 'root@pam',
  status: 'running',
  startedAt: 0,
  ...more,
})
test.each<[string, string, Task[], object, string | undefined]>([
  ['no task at all', 'backup', [], {}, 'look'],
  ['a task of its own', 'backup', [running('vzdump', { vmid: 103 })], {}, undefined],
  ['a backup job of its node, which names no guest', 'backup', [running('vzdump')], {}, undefined],
  ['a backup job of another node', 'backup', [running('vzdump', { node: 'Home' })], {}, 'look'],
  ['a clone of another guest of its node', 'clone', [running('qmclone', { vmid: 100 })], {}, undefined],
  ['a shell on its node', 'snapshot', [running('vncshell')], {}, 'look'],
  ['a VM that sleeps on its disk', 'suspended', [], {}, undefined],
  ['a node that does not answer', 'backup', [], { status: 'offline' }, 'unseen'],
])('a lock with %s', async (_what, lock, tasks, node, level) => {
  const seen = await found(staleLock, {
    state: (state) => {
      state.tasks = tasks
      Object.assign(state.guests.find(({ vmid }) => vmid === 103) ?? {}, { lock, node: 'pve' })
      Object.assign(state.nodes.find(({ name }) => name === 'pve') ?? {}, node)
    },
  })
  expect(seen['vm/103']?.[0]).toBe(level)
})

test('a guest that went off with no task is told, one that a task stopped is not, and what was not seen is not known', async () => {
  const check = guestStoppedCheck()
  const look = async (vmid: number, status: 'running' | 'stopped', tasks: Task[] = [], atMs = 0) => {
    const changed = (state: ClusterState) => {
      state.at += atMs
      state.tasks = tasks
      Object.assign(state.guests.find((one) => one.vmid === vmid) ?? {}, { status })
    }
    return (await found(check, { state: changed }))[`vm/${vmid}`]
  }
  expect(await look(103, 'stopped')).toEqual(['between', expect.any(String)])
  expect(await look(103, 'running')).toBe(undefined)
  expect(await look(103, 'stopped')).toEqual(['failed', expect.stringContaining('went off, and no task stopped it')])
  expect(await look(103, 'stopped', [], 600_000)).toEqual(['failed', expect.any(String)])
  // An event hours later explains nothing.
  expect(await look(103, 'stopped', [running('vzdump')], 700_000)).toEqual(['failed', expect.any(String)])
  expect(await look(103, 'running')).toBe(undefined)
  const shutdown = { ...running('qmshutdown', { vmid: 103 }), status: 'ok' as const, endedAt: 5 }
  expect(await look(103, 'stopped', [shutdown])).toBe(undefined)
  // A backup may have stopped it, and starts it again: that it did not is told once the backup is over.
  expect(await look(103, 'running')).toBe(undefined)
  expect(await look(103, 'stopped', [running('vzdump')])).toEqual(['between', expect.any(String)])
  expect(await look(103, 'stopped', [running('vzdump')], 900_000)).toEqual(['between', expect.any(String)])
  expect(await look(103, 'stopped', [], 910_000)).toEqual(['failed', expect.any(String)])
})

test('the memory pressure of a guest is seen, and where nothing records it, the check cannot run', async () => {
  const path = 'nodes/Home/qemu/101/rrddata'
  const rows = (...values: (number | undefined)[]) =>
    values.map((pressurememoryfull, time) => ({ time, pressurememoryfull }))
  const others = { '*': rows(0, 0, 0, 0, 0, 0) }
  expect(await found(guestMemory, { answers: { ...others, [path]: rows(0, 50, 50, 50, 50, 50) } })).toEqual({
    'vm/101': ['failed', 'All that runs in VM 101 homeassistant waited for memory 50 % of the time.'],
  })
  await expect(found(guestMemory, { answers: { '*': rows(undefined) } })).rejects.toBeInstanceOf(CannotRun)
})

test('thick LVM is full by design, and nothing is told of it', async () => {
  const full = (type: string) => (state: ClusterState) =>
    void Object.assign(state.storages[0] ?? {}, { type, isActive: true, usedBytes: 98, totalBytes: 100 })
  const [id] = Object.keys(await found(storageFull, { state: full('dir') }))
  expect(id).toMatch(/^storage\//)
  expect(await found(storageFull, { state: full('lvm') })).not.toHaveProperty([id ?? ''])
})

test('a job of the backup server that failed or warned is told; one that is off, runs or never ran is not', async () => {
  const jobs = [
    { id: 'v1', store: 'main', 'last-run-state': 'verification failed - please check the log', 'last-run-endtime': 5 },
    { id: 'v2', store: 'main', 'last-run-state': 'WARNINGS: 2', 'last-run-endtime': 5 },
    { id: 'v3', store: 'main', 'last-run-state': 'OK' },
    { id: 'v4', store: 'main', 'last-run-state': 'failed', disable: true },
    { id: 'v5', store: 'main' },
  ]
  const pbs = { get: async (path: PvePath) => (path[1] === 'sync' ? jobs : []) }
  expect(Object.entries(await found(pbsJob, { pbs })).map(([id, [level]]) => [id, level])).toEqual([
    ['pbs/sync/main/v1', 'failed'],
    ['pbs/sync/main/v2', 'look'],
  ])
  const gc = { get: async (path: PvePath) => (path[1] === 'gc' ? [{ store: 'main', 'still-bad': 3 }] : []) }
  expect((await found(pbsJob, { pbs: gc }))['pbs/gc/main/main']?.[0]).toBe('failed')
  const half = { get: async (path: PvePath) => (path[1] === 'sync' ? Promise.reject(new Error('x')) : []) }
  const { unread } = await pbsJob.look(portsOf({ pbs: half }))
  expect([...unread.keys()]).toEqual(['*'])
  await expect(found(pbsJob)).rejects.toBeInstanceOf(CannotRun)
})

test('heat names the guest that loads the node, for the runbook that restarts it', async () => {
  const inputsWith = async (load: number | null, status: 'running' | 'stopped' = 'running') => {
    const ports = portsOf({
      state(state) {
        for (const guest of state.guests) Object.assign(guest, { cpuRatio: 0.1 })
        Object.assign(state.guests.find(({ vmid }) => vmid === 104) ?? {}, { cpuRatio: load, status })
      },
    })
    const { measures } = await nodeHeat.look(ports)
    return measures.find(({ object }) => object.id === 'node/pve')?.inputs
  }
  expect(await inputsWith(0.9)).toEqual({ node: 'pve', vmid: 104 })
  expect(await inputsWith(0.2)).toEqual({ node: 'pve' })
  expect(await inputsWith(null)).toEqual({ node: 'pve' })
  expect(await inputsWith(0.9, 'stopped')).toEqual({ node: 'pve' })
})

import type { Alert, ClusterUpdate, SamplesReply, ShownCluster } from 'protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ClusterSocket } from '../../realtime/sockets.ts'
import { ClusterStore, totalsOf } from './store.ts'
import { fromShown } from './unknown.ts'

const minute = 60_000
const start = 1_000 * 60 * minute

beforeEach(() => void vi.useFakeTimers({ now: start }))
afterEach(() => void vi.useRealTimers())

const node = (cpuRatio: number | undefined, change = {}) =>
  ({ name: 'pve', status: 'online', isProtected: false, cpuRatio, cpuCount: 4, ...change }) as never
const guest = (change = {}) =>
  ({ vmid: 5, name: 'nas', type: 'vm', node: 'pve', status: 'running', tags: [], backupAt: start, ...change }) as never
const shown = (change: Partial<ShownCluster> = {}): ShownCluster => ({
  name: 'homelab',
  isDemo: false,
  at: 0,
  isQuorate: true,
  missing: [],
  nodes: [node(0.5)],
  guests: [guest()],
  storages: [],
  tasks: [],
  ...change,
})
const alert = (id: string): Alert => ({
  id,
  check: 'quorum',
  object: { id: 'site' },
  severity: 'failed',
  state: 'firing',
  sentence: 'No quorum.',
  since: 1,
  told: [],
})
const nothing: SamplesReply = { from: start, stepMs: minute, items: [] }

function open(readHour: (names: readonly string[]) => Promise<SamplesReply> = async () => nothing) {
  const listeners = new Map<string, (payload?: unknown) => void>()
  const on = (name: string, listener: (payload?: unknown) => void) => listeners.set(name, listener)
  const store = new ClusterStore({ on } as unknown as ClusterSocket, readHour)
  return {
    store,
    snapshot: (cluster = shown()) => listeners.get('cluster:snapshot')?.({ cluster }),
    update: (update: Partial<ClusterUpdate>) => listeners.get('cluster:update')?.({ at: 0, ...update }),
    lose: () => listeners.get('disconnect')?.(),
    view: () => store.view.get(),
    keys: () => store.view.get().issues.map(({ key }) => key),
  }
}

test('nothing is known until the first snapshot; a lost link keeps the state and claims no life', () => {
  const { view, snapshot, update, lose } = open()
  update({ nodes: [node(1)] })
  expect(view()).toEqual({ state: undefined, heardAt: 0, isLive: false, isLinked: false, issues: [] })
  snapshot()
  expect(view()).toMatchObject({ heardAt: start, isLive: true, isLinked: true })
  lose()
  expect(view()).toMatchObject({ state: { name: 'homelab' }, heardAt: start, isLive: false, isLinked: false })
})

test('at sign-out all is forgotten, and a late answer to the person before counts for nobody', async () => {
  let answer: (reply: SamplesReply) => void = () => {}
  const late = new Promise<SamplesReply>((done) => {
    answer = done
  })
  const { store, view, snapshot } = open(() => late)
  snapshot()
  expect(store.samples('cpu')).not.toEqual([])
  store.forget()
  answer({ ...nothing, items: [{ name: 'cluster', values: { cpuRatio: Array.from({ length: 60 }, () => 0.5) } }] })
  await late
  expect(view()).toEqual({ state: undefined, heardAt: 0, isLive: false, isLinked: false, issues: [] })
  expect([store.named.get(), store.samples('cpu')]).toEqual([undefined, []])
})

test('while the cluster cannot be read, what is shown stays as old as it is', () => {
  const { view, snapshot, update } = open()
  snapshot()
  vi.setSystemTime(start + minute)
  update({ unreachableSince: start + 1 })
  expect(view()).toMatchObject({ heardAt: start, isLive: false, isLinked: true })
  update({ unreachableSince: null })
  expect(view()).toMatchObject({ heardAt: start + minute, isLive: true })
})

test('names are told only when a guest or node is added, removed or renamed', () => {
  const { store, snapshot, update } = open()
  let told = 0
  store.named.subscribe(() => told++)
  snapshot()
  update({ nodes: [node(0.9)], guests: [guest({ status: 'stopped' })] })
  expect(told).toBe(1)
  update({ guests: [guest({ name: 'files' })] })
  expect(store.named.get()?.guests[0]?.name).toBe('files')
  update({ removedGuests: [5 as never] })
  update({ nodes: [node(0.1, { name: 'agent' })] })
  expect(told).toBe(4)
})

test('alerts that come before or after the state are what needs a look', () => {
  const { store, keys, snapshot, lose } = open()
  store.setAlerts([alert('a')])
  expect(keys()).toEqual([])
  snapshot()
  expect(keys()).toEqual(['a'])
  store.setAlerts([alert('b'), { ...alert('c'), state: 'pending' }])
  expect(keys()).toEqual(['b'])
  lose()
  expect(keys()).toEqual(['b'])
  store.forget()
  snapshot()
  expect(keys()).toEqual([])
})

test('what was before this browser looked is read once, for the whole and each node, by the server’s clock', async () => {
  const asked: (readonly string[])[] = []
  // The server's clock is five minutes ahead.
  const from = start + 5 * minute - 59 * minute
  const line = (value: number) => Array.from({ length: 60 }, (_, at) => (at < 2 ? null : value))
  const { store, snapshot, update } = open(async (names) => {
    asked.push(names)
    const values = { cpuRatio: line(0.2), ramRatio: line(0.3), netBps: line(7) }
    return {
      from,
      stepMs: minute,
      items: [
        { name: 'cluster', values },
        { name: 'node/pve', values: { cpuRatio: line(0.4) } },
      ],
    }
  })
  snapshot()
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toEqual([['cluster', 'node/pve']])
  for (const [key, value] of Object.entries({ cpu: 0.2, ram: 0.3, net: 7, 'node/pve': 0.4 }))
    expect(store.samples(key)).toEqual(Array(58).fill(value))
  vi.setSystemTime(start + 2 * minute)
  update({ nodes: [node(0.8)] })
  // A minute without a sample is a gap, and the hour moves on.
  expect(store.samples('node/pve')).toEqual([...Array(58).fill(0.4), undefined, 0.8])
  expect(store.samples('node/pve')).toBe(store.samples('node/pve'))
})

test('with few minutes the samples of every two seconds are the line, and a server without samples changes nothing', async () => {
  const { store, snapshot, update } = open(async () => {
    throw new Error('away')
  })
  expect(store.samples('cpu')).toEqual([])
  snapshot()
  await vi.advanceTimersByTimeAsync(0)
  for (const [afterMs, ratio] of [
    [1_999, 0.9],
    [1, 0.6],
    [2_000, 0.7],
  ] as const) {
    vi.setSystemTime(Date.now() + afterMs)
    update({ nodes: [node(ratio)] })
  }
  expect(store.samples('cpu')).toEqual([0.5, 0.6, 0.7])
  expect(store.samples('node/pve')).toEqual([0.5, 0.6, 0.7])
})

test('a node that is away or says no load gives no sample, and its line ends with the hour', () => {
  const { store, snapshot, update } = open()
  snapshot()
  for (let at = 1; at < 12; at++) {
    vi.setSystemTime(start + at * minute)
    update({ nodes: [node(0.5)] })
  }
  expect(store.samples('node/pve')).toHaveLength(12)
  vi.setSystemTime(start + 20 * minute)
  update({ nodes: [node(undefined)] })
  vi.setSystemTime(start + 21 * minute)
  update({ nodes: [node(0.5, { status: 'offline' })] })
  expect(store.samples('node/pve')).toEqual([...Array(12).fill(0.5), ...Array(10).fill(undefined)])
  vi.setSystemTime(start + 90 * minute)
  update({})
  expect(store.samples('node/pve')).toEqual([])
})

test.each([
  ['running guests', { guests: [guest(), guest({ vmid: 6, status: 'stopped' })] }, { running: 1, guests: 2 }],
  [
    'a template, which is no guest',
    { guests: [guest(), guest({ vmid: 6, isTemplate: true })] },
    { running: 1, guests: 1 },
  ],
  ['no guests', { guests: [] }, { running: 0, guests: 0 }],
  ['guests that could not be read', { guests: [], unread: ['guests'] }, { running: undefined, netBps: undefined }],
  ['guests all unknown', { guests: [guest({ status: 'unknown' })] }, { running: undefined, netBps: undefined }],
  [
    'a node that is away',
    { nodes: [node(0.5), node(undefined, { name: 'b', status: 'offline' })] },
    { onlineCount: 1 },
  ],
  ['no node', { nodes: [] }, { cpuRatio: undefined, ramRatio: undefined, storageRatio: undefined, onlineCount: 0 }],
] as const)('the whole of %s', (_, change, expected) => {
  expect(totalsOf(fromShown(shown(change as never)))).toMatchObject(expected)
})

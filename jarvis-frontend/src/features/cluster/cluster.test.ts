import { type Alert, type ClusterState, type Guest, type Node, usualLimits } from 'protocol'
import { expect, test } from 'vitest'
import type { MarkKind } from '../../ui/mark.tsx'
import { foldCluster } from './fold.ts'
import { backupsOf, concernedOf, guestMark, issuesOf, limitsNow, nodeMark, sharedAge } from './health.ts'
import { pastOf } from './issue-past.ts'
import { isWanted, nextSort, readSort, rowsOf, tagsOf } from './rows.ts'
import { groupTasks } from './task-groups.ts'

const hour = 3_600_000
const now = 1_000 * hour
const node = (change: Partial<Node> = {}): Node => ({ name: 'pve', status: 'online', isProtected: false, ...change })
const guest = (change: Partial<Guest> = {}): Guest => ({
  vmid: 123,
  name: 'frigate',
  type: 'vm',
  node: 'pve',
  status: 'running',
  isProtected: false,
  uptimeS: 1,
  cpuRatio: 0.1,
  cpuCount: 1,
  ramBytes: 1,
  ramTotalBytes: 2,
  diskBytes: 1,
  diskTotalBytes: 2,
  isHa: false,
  tags: [],
  backupAt: now - hour,
  ...change,
})
const state = (change: Partial<ClusterState> = {}): ClusterState => ({
  name: 'homelab',
  isDemo: true,
  at: 0,
  nodes: [node()],
  guests: [guest()],
  storages: [],
  tasks: [],
  isQuorate: true,
  missing: [],
  ...change,
})
const alert = (change: Partial<Alert> = {}): Alert => ({
  id: 'a',
  check: 'node-heat',
  object: { id: 'node/pve', name: 'pve', node: 'pve' },
  severity: 'look',
  state: 'firing',
  sentence: 'pve is at 81 °C.',
  limit: 'Limit 80 °C for 5 min, failed at 90 °C.',
  since: 7,
  told: [],
  ...change,
})
const ofGuest = (vmid: number, change: Partial<Alert> = {}) =>
  alert({
    id: `g${vmid}`,
    check: 'guest-cpu',
    object: { id: `vm/${vmid}`, vmid, node: 'pve' },
    chart: { series: `guest/${vmid}`, field: 'cpuRatio', limit: 0.9 },
    ...change,
  })
const facts = (s: ClusterState, alerts?: readonly Alert[]) =>
  issuesOf(s, alerts).map((issue) => [issue.tone, issue.fact])

test('until the server has said its limits, they are the usual ones', () => {
  expect(limitsNow()).toEqual(usualLimits)
})

test('a healthy cluster has no issue', () => {
  expect(facts(state())).toEqual([])
})

test.each<[string, Partial<ClusterState>, string[][]]>([
  [
    'an unknown quorum and one more thing that could not be read',
    { isQuorate: null, missing: ['quorum cannot be read now', 'tasks cannot be read now'] },
    [
      ['warn', 'Quorum is unknown'],
      ['warn', '1 thing could not be read'],
    ],
  ],
  [
    'a cluster that was never read',
    { nodes: [], unread: ['nodes', 'guests'], missing: ['no answer yet'] },
    [['warn', 'The cluster is unknown']],
  ],
  [
    'a cluster that cannot be read any more, said once',
    {
      nodes: [node({ status: 'unknown' })],
      isQuorate: null,
      unreachableSince: 5,
      missing: ['last seen 40 s ago: no way in'],
    },
    [['bad', 'The cluster cannot be read']],
  ],
  ['what an alert says, no line says again', { nodes: [node({ status: 'offline' })], missing: ['pve is offline'] }, []],
])('%s', (_name, change, expected) => {
  const away = alert({ check: 'cluster-away', object: { id: 'site' }, sentence: 'The cluster cannot be read.' })
  const { unreachableSince } = change
  expect(facts(state(change), unreachableSince === undefined ? [] : [away])).toEqual(expected)
})

test('an alert needs a look until somebody took it on, another explains it, or it is only for the record', () => {
  const by = { by: 'mira', at: 1 }
  const alerts = [
    alert(),
    alert({ id: 'bad', severity: 'failed', sentence: 'pve is at 91 °C.', hides: 3 }),
    alert({ id: 'held', state: 'held', notSeenSince: 1, sentence: 'agent is at 82 °C.' }),
    alert({ state: 'pending' }),
    alert({ hiddenBy: 'a' }),
    alert({ acknowledged: by }),
    alert({ silenced: { by: 'mira', until: 9 } }),
    alert({ severity: 'info' }),
  ]
  expect(facts(state(), undefined)).toEqual([])
  expect(facts(state(), alerts)).toEqual([
    ['bad', 'pve is at 91 °C'],
    ['warn', 'pve is at 81 °C'],
    ['warn', 'agent is at 82 °C'],
  ])
  const [bad, look, held] = issuesOf(state(), alerts)
  expect([bad?.detail, look?.detail]).toEqual(['Limit 80 °C for 5 min, hides 3', 'Limit 80 °C for 5 min'])
  expect(held).toMatchObject({ isUnknown: true, detail: expect.stringContaining('not seen since') })
  expect(look).toMatchObject({ key: 'a', node: 'pve', question: 'pve is at 81 °C. Why?', since: 7 })
})

test('a stopped guest that never had a backup is not missing one', () => {
  const { backupAt: _, ...stopped } = guest({ status: 'stopped' })
  expect(backupsOf([stopped], now)).toMatchObject({ expected: 0, stale: [] })
})

test('the guests that need attention are those its lines are about', () => {
  const [hot, bare, busy, well] = [
    guest({ vmid: 1, node: 'hot' }),
    { ...guest({ vmid: 2 }), backupAt: undefined },
    guest({ vmid: 3, cpuRatio: 0.97 }),
    guest({ vmid: 4 }),
  ] as [Guest, Guest, Guest, Guest]
  const ill = state({ nodes: [node(), node({ name: 'hot', temperatureC: 90 })], guests: [hot, bare, busy, well] })
  const heat = alert({ object: { id: 'node/hot', name: 'hot', node: 'hot' } })
  const issues = issuesOf(ill, [heat, ofGuest(3)])
  expect(ill.guests.filter(concernedOf(ill, issues, now)).map(({ vmid }) => vmid)).toEqual([1, 2, 3])
})

test('a stale view claims no health', () => {
  expect(nodeMark(node(), [], true)).toBe('ok')
  expect(nodeMark(node(), [], false)).toBe('unknown')
})

const hot = (tone: 'warn' | 'bad') => issuesOf(state(), [alert({ severity: tone === 'bad' ? 'failed' : 'look' })])
const busy = issuesOf(state(), [ofGuest(123)])
const forgotten = issuesOf(state(), [ofGuest(123, { check: 'snapshot-forgotten', chart: undefined })])

test.each([
  ['unknown', node({ status: 'unknown' }), []],
  ['bad', node({ status: 'offline' }), []],
  ['warn', node(), hot('warn')],
  ['bad', node(), hot('bad')],
  ['ok', node({ name: 'other' }), hot('bad')],
  ['ok', node(), busy],
] as const)('a mark of %s for a node', (mark, of, issues) => {
  expect(nodeMark(of, issues, true)).toBe(mark)
})

test.each([
  ['running', guest(), [], true],
  ['stopped', guest({ status: 'stopped' }), [], true],
  ['warn', guest(), busy, true],
  ['running', guest(), forgotten, true],
  ['running', guest({ vmid: 9 }), busy, true],
  ['unknown', guest(), busy, false],
  ['unknown', guest({ status: 'unknown' }), [], true],
  ['none', guest({ isTemplate: true }), [], false],
] as const)('a mark of %s for a guest', (mark, of, issues, isLive) => {
  expect(guestMark(of, issues, isLive)).toBe(mark)
})

test('an age is shared only where all have the same', () => {
  const aged = (hours: number) => guest({ backupAt: now - hours * hour })
  expect(sharedAge([aged(30), aged(30.5)], now)).toBe('30 h')
  expect(sharedAge([aged(30), aged(31)], now)).toBeUndefined()
  expect(sharedAge([aged(30), guest({ backupAt: null })], now)).toBeUndefined()
})

test('an update replaces by id and leaves the rest as the same objects', () => {
  const before = state({ guests: [guest(), guest({ vmid: 141 })] })
  const after = foldCluster(before, { at: 9, guests: [guest({ vmid: 141, status: 'stopped' }), guest({ vmid: 150 })] })
  expect(after.guests.map((g) => [g.vmid, g.status])).toEqual([
    [123, 'running'],
    [141, 'stopped'],
    [150, 'running'],
  ])
  expect(after.guests[0]).toBe(before.guests[0])
  expect(after.nodes).toBe(before.nodes)
})

test('a removed guest is gone', () => {
  expect(foldCluster(state(), { at: 9, removedGuests: [123] }).guests).toEqual([])
  const lost = foldCluster(state(), { at: 9, isQuorate: null, unreachableSince: 8, unread: ['tasks'] })
  expect(lost).toMatchObject({ isQuorate: null, unreachableSince: 8, unread: ['tasks'] })
  const back = foldCluster(lost, { at: 10, isQuorate: true, unreachableSince: null, unread: [] })
  expect(back).toMatchObject({ isQuorate: true, unread: [] })
  expect(back).not.toHaveProperty('unreachableSince')
})

test('tasks stay newest first', () => {
  const task = { upid: 'a', node: 'pve', type: 'vzdump', user: 'root', startedAt: 5, status: 'running' as const }
  const after = foldCluster(state({ tasks: [task] }), { at: 9, tasks: [{ ...task, upid: 'b', startedAt: 7 }] })
  expect(after.tasks.map((t) => t.upid)).toEqual(['b', 'a'])
})

test('tasks of a kind that ended alike in one night are one line', () => {
  const task = (type: string, startedAt: number, exitStatus = 'OK', on = 'pve') => ({
    upid: `${type} ${startedAt}`,
    node: on,
    type,
    vmid: 100 + startedAt,
    user: 'root',
    startedAt,
    status: exitStatus === 'OK' ? ('ok' as const) : ('failed' as const),
    exitStatus,
  })
  const groups = groupTasks([
    task('qmstart', 9),
    task('vzdump', 8, 'no space'),
    task('vzdump', 7, 'no space', 'agent'),
    task('vzdump', 6),
    task('vzdump', 6 - 2 * hour),
  ])
  expect(groups.map(({ first, count, isOneNode }) => [first.type, first.startedAt, count, isOneNode])).toEqual([
    ['qmstart', 9, 1, true],
    ['vzdump', 8, 2, false],
    ['vzdump', 6, 1, true],
    ['vzdump', 6 - 2 * hour, 1, true],
  ])
})

test('rows follow the sort, those without a figure last, and stand under their node where grouped', () => {
  const both = state({
    nodes: [node(), node({ name: 'agent' })],
    guests: [
      guest({ vmid: 1, cpuRatio: 0.2 }),
      guest({ vmid: 2, node: 'agent', cpuRatio: 0.9 }),
      guest({ vmid: 3, status: 'stopped', cpuRatio: 0 }),
      guest({ vmid: 4, cpuRatio: 0.5 }),
    ],
  })
  const order = (sort: string | null, isGrouped = false) =>
    rowsOf(both, both.guests, { sort: readSort(sort), isGrouped }).map((row) =>
      row.kind === 'node' ? row.name : row.guest.vmid,
    )
  expect(order(null)).toEqual([1, 3, 4, 2])
  expect(order('-cpu')).toEqual([2, 4, 1, 3])
  expect(order('cpu')).toEqual([1, 4, 2, 3])
  expect(order('-guest')).toEqual([4, 3, 2, 1])
  expect(order('nonsense')).toEqual([1, 3, 4, 2])
  expect(order('-cpu', true)).toEqual(['pve', 4, 1, 3, 'agent', 2])
  expect(nextSort(readSort('-cpu'), 'cpu')).toBe('cpu')
  expect(nextSort(readSort(null), 'cpu')).toBe('-cpu')
})

test('the worst come first: what is grave, then who uses the most', () => {
  const all = [
    guest({ vmid: 1, cpuRatio: 0.2 }),
    guest({ vmid: 2, status: 'stopped' }),
    guest({ vmid: 3, cpuRatio: 0.9 }),
    guest({ vmid: 4, isTemplate: true, status: 'stopped' }),
    guest({ vmid: 5, cpuRatio: 0.1 }),
  ]
  const marks: Record<number, MarkKind> = { 4: 'none', 5: 'warn' }
  const markOf = ({ vmid, status }: Guest) => marks[vmid] ?? status
  const rows = rowsOf(state({ guests: all }), all, { sort: readSort('worst'), isGrouped: false, markOf })
  expect(rows.map((row) => row.kind === 'guest' && row.guest.vmid)).toEqual([5, 3, 1, 2, 4])
})

test.each([
  ['', '', '', [101, 102, 103]],
  ['web', '', '', [101, 103]],
  ['WEB prod', '', '', [101]],
  ['102', '', '', [102]],
  ['stopped', '', '', [103]],
  ['', 'agent', '', [102]],
  ['', '', 'prod', [101, 102]],
  ['web', 'agent', 'prod', []],
])('“%s” on “%s” with the tag “%s” are the guests %j', (text, of, tag, vmids) => {
  const all = [
    guest({ vmid: 101, name: 'web-1', tags: ['prod'] }),
    guest({ vmid: 102, name: 'db', node: 'agent', tags: ['prod', 'sql'] }),
    guest({ vmid: 103, name: 'web-2', status: 'stopped', tags: [] }),
  ]
  expect(all.filter((one) => isWanted(one, { text, node: of, tag })).map(({ vmid }) => vmid)).toEqual(vmids)
  expect(tagsOf(all)).toEqual([
    ['prod', 2],
    ['sql', 1],
  ])
})

test('what needs a look says since when and what is usual', () => {
  const [heat] = issuesOf(state(), [
    alert({ since: now, chart: { series: 'node/pve', field: 'temperatureC', limit: 80 } }),
  ])
  const values = { temperatureC: [58, 58, 57, 58, 80.5, 81] }
  const reply = { from: now - 6 * 60_000, stepMs: 60_000, items: [{ name: 'node/pve', values }] }
  expect(heat && pastOf(heat, reply, now)).toMatch(/^since \d\d:\d\d, usually 58 °C$/)
  expect(heat && pastOf(heat, undefined, now)).toMatch(/^since \d\d:\d\d$/)
})

test('what no ring holds says since when it is known, and a storage how long it lasts', () => {
  const quorum = { ...({ key: 'quorum', tone: 'bad', fact: '', detail: '', question: '' } as const) }
  expect(pastOf(quorum, undefined, now)).toBeUndefined()
  expect(pastOf({ ...quorum, since: now }, undefined, now)).toMatch(/^since \d\d:\d\d$/)
  expect(pastOf({ ...quorum, since: now - 50 * hour }, undefined, now)).toBe('for 2 d')
  const past = { series: 'storage/a', field: 'usedRatio' as const, limit: 0.8 }
  const usedRatio = Array.from({ length: 100 }, (_, at) => 0.5 + at / 1_000)
  const week = (values: number[]) => ({
    from: now,
    stepMs: 2 * hour,
    items: [{ name: 'storage/a', values: { usedRatio: values } }],
  })
  expect(pastOf({ ...quorum, past }, week(usedRatio), now)).toMatch(/^about \d+ days$/)
  expect(pastOf({ ...quorum, past }, week(usedRatio.toReversed()), now)).toBeUndefined()
})

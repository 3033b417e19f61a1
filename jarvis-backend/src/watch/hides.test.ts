import { expect, test } from 'vitest'
import { causesOf } from './hides.ts'
import type { Leaning } from './leaning.ts'

type Alerts = Parameters<typeof causesOf>[0]
const alert = (check: string, id: string, more: object = {}) => ({
  id: `${check} ${id}`,
  check,
  object: { id },
  state: 'firing',
  severity: 'failed',
  since: 0,
  ...more,
})
const node = (name: string) => ({ name, status: 'online' })
/** The NAS is guest 103 on `b`, and serves `nas` to all. Guest 7 on `a` has its disks on `nas`, guest 8 on its node's `local`. */
const state = {
  nodes: [node('a'), node('b')],
  guests: [
    { vmid: 103, type: 'vm', node: 'b' },
    { vmid: 7, type: 'vm', node: 'a' },
    { vmid: 8, type: 'ct', node: 'a' },
  ],
  storages: [
    { name: 'pbs', content: ['backup'] },
    { name: 'nas', content: ['images'] },
    { name: 'local', node: 'a', content: ['images'] },
    { name: 'local', node: 'b', content: ['images'] },
  ],
} as unknown as Parameters<typeof causesOf>[1]
const guest = (storages: string[], bridges: string[] = ['vmbr0']) => ({ storages, bridges })
const lab: Leaning = {
  guests: new Map([
    [103, guest(['local'], ['vmbr1'])],
    [7, guest(['nas'])],
    [8, guest(['local'])],
  ]),
  servers: new Map([['nas', 'guest/103']]),
}
const causes = (alerts: object[], leaning?: Leaning) =>
  Object.fromEntries([...causesOf(alerts as Alerts, state, leaning)].map(([id, cause]) => [id, cause.id]))

const away = alert('node-away', 'node/a', { object: { id: 'node/a', node: 'a' } })
const storage = alert('storage-away', 'storage/pbs', { object: { id: 'storage/pbs', name: 'pbs' } })
const failed = alert('backup-failed', 'ct/1', { inputs: { vmid: 1, storage: 'pbs' } })
const old = alert('backup-old', 'ct/1')

test.each<[string, object[], Record<string, string>]>([
  ['a failed backup hides that it is old', [failed, old], { [old.id]: failed.id }],
  [
    'a storage hides what failed for it, and so what is old',
    [old, failed, storage],
    { [failed.id]: storage.id, [old.id]: storage.id },
  ],
  ['of another storage it hides nothing', [{ ...failed, inputs: { storage: 'nas' } }, storage], {}],
  [
    'a node hides what hides others',
    [old, failed, { ...storage, object: { ...storage.object, node: 'a' } }, away],
    { [storage.id]: away.id, [failed.id]: away.id, [old.id]: away.id },
  ],
  ['what has ended hides nothing', [{ ...failed, state: 'resolved' }, old], {}],
  ['of another guest it hides nothing', [failed, alert('backup-old', 'ct/2')], {}],
])('%s', (_what, alerts, expected) => {
  expect(causes(alerts)).toEqual(expected)
})

const of = (check: string, vmid: number, on: string, type = 'vm', more: object = {}) =>
  alert(check, `${type}/${vmid}`, { object: { id: `${type}/${vmid}`, vmid, node: on }, ...more })
const nas = alert('storage-away', 'storage/nas', { object: { id: 'storage/nas', name: 'nas' } })
const local = (on: string) =>
  alert('storage-away', `storage/${on}/local`, { object: { id: `storage/${on}/local`, name: 'local', node: on } })
const bridge = alert('bridge-down', 'bridge/b/vmbr1', { object: { id: 'bridge/b/vmbr1', node: 'b' } })
const lost = alert('node-away', 'node/b', { object: { id: 'node/b', node: 'b' } })
const silent = of('agent-silent', 7, 'a')
const paused = of('vm-io-error', 7, 'a')
const server = of('vm-io-error', 103, 'b')
const slow = of('own', 103, 'b', 'vm', { chart: { series: 'guest/103', field: 'netBps' } })
const unproven = of('guest-uncovered', 7, 'a')

test.each<[string, object[], Record<string, string>]>([
  [
    'a storage that is away explains its guests’ disks, and nothing else of them',
    [nas, silent, paused, unproven],
    { [silent.id]: nas.id, [paused.id]: nas.id },
  ],
  [
    'a storage of one node explains the guests of that node',
    [local('a'), of('stale-lock', 8, 'a', 'ct'), silent],
    { 'stale-lock ct/8': local('a').id },
  ],
  ['a storage of another node explains nothing of it', [local('b'), of('stale-lock', 8, 'a', 'ct')], {}],
  ['a VM that is paused explains its silent agent', [paused, silent], { [silent.id]: paused.id }],
  [
    'the guest that serves a storage explains it, and the guests on it',
    [silent, nas, server],
    { [nas.id]: server.id, [silent.id]: server.id },
  ],
  [
    'the node of the guest that serves a storage explains all of it',
    [silent, nas, server, lost],
    { [server.id]: lost.id, [nas.id]: lost.id, [silent.id]: lost.id },
  ],
  [
    'a bridge explains the storage that is served through it, and the traffic of its guests',
    [nas, bridge, slow, paused],
    { [nas.id]: bridge.id, [slow.id]: bridge.id, [paused.id]: bridge.id },
  ],
  [
    'a cluster out of reach explains all but itself',
    [alert('cluster-away', 'site'), lost, nas],
    { [lost.id]: 'cluster-away site', [nas.id]: 'cluster-away site' },
  ],
  [
    'HA’s word on a guest explains its storage, where HA has given up on it',
    [nas, of('ha-state', 103, 'b')],
    { [nas.id]: 'ha-state vm/103' },
  ],
  [
    'HA’s word that a guest is disabled explains nothing',
    [nas, of('ha-state', 103, 'b', 'vm', { severity: 'look' })],
    {},
  ],
])('%s', (_what, alerts, expected) => {
  expect(causes(alerts, lab)).toEqual(expected)
  expect(causes([...alerts].reverse(), lab)).toEqual(expected)
})

test('without the configurations only nodes and the storages themselves explain', () => {
  expect(causes([nas, silent, paused, server])).toEqual({ [silent.id]: paused.id })
})

test('where a storage and its server stand on each other, the first explains the other, and somebody is told', () => {
  const onItself: Leaning = { ...lab, guests: new Map([...lab.guests, [103, guest(['nas'])]]) }
  const first = { ...nas, since: 1 }
  const then = { ...server, since: 2 }
  expect(causes([then, first, silent], onItself)).toEqual({ [then.id]: first.id, [silent.id]: first.id })
  expect(causes([{ ...then, since: 0 }, first, silent], onItself)).toEqual({
    [first.id]: then.id,
    [silent.id]: then.id,
  })
})

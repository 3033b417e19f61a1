import type { ClusterState, ClusterUpdate, Guest } from 'protocol'
import { expect, test } from 'vitest'
import { createShown } from './changes.ts'

const guest = (vmid: number, more: Partial<Guest> = {}): Guest => ({
  vmid,
  name: `worker-${vmid}`,
  type: 'vm',
  node: `node${vmid % 50}`,
  status: 'running',
  isProtected: false,
  uptimeS: 3_600,
  cpuRatio: 0.1,
  cpuCount: 4,
  ramBytes: 4e8,
  ramTotalBytes: 1e9,
  diskBytes: 0,
  diskTotalBytes: 1.6e10,
  netInBps: 1_000,
  netOutBps: 2_000,
  isHa: false,
  tags: ['prod', 'web'],
  ...more,
})
const clusterOf = (guests: Guest[], more: Partial<ClusterState> = {}): ClusterState => ({
  name: 'large',
  isDemo: false,
  at: 1_000_000,
  nodes: Array.from({ length: 50 }, (_, i) => ({
    name: `node${i}`,
    status: 'online' as const,
    isProtected: false,
    cpuRatio: 0.1,
    cpuCount: 16,
    ramBytes: 2e10,
    ramTotalBytes: 6e10,
    uptimeS: 1e6,
    load1: 0.5,
    temperatureC: 50,
  })),
  guests,
  storages: [],
  tasks: [],
  isQuorate: true,
  missing: [],
  ...more,
})
const many = (change: (vmid: number) => Partial<Guest> = () => ({})) =>
  Array.from({ length: 2_000 }, (_, i) => guest(1_000 + i, change(1_000 + i)))
const sizeOf = (update: ClusterUpdate | undefined) => Buffer.byteLength(JSON.stringify(update))

/** Folds updates into a state, as the dashboard does. @returns the guests that a watcher then has */
function fold(state: ClusterState, updates: readonly ClusterUpdate[]): Map<number, Guest> {
  const guests = new Map(state.guests.map((each) => [each.vmid, each]))
  for (const update of updates) {
    for (const each of update.guests ?? []) guests.set(each.vmid, each)
    for (const vmid of update.removedGuests ?? []) guests.delete(vmid)
  }
  return guests
}

test('nothing new is nothing to tell', () => {
  const shown = createShown(clusterOf(many()))
  expect(shown.next(clusterOf(many()))).toEqual({ update: undefined, isMore: false })
})

test('every figure of 2,000 guests and 50 nodes moves, and each update stays under 20 kB', () => {
  const shown = createShown(clusterOf(many()))
  for (let look = 1; look <= 30; look += 1) {
    const moved = clusterOf(
      many((vmid) => ({
        uptimeS: 3_600 + look * 5,
        cpuRatio: ((vmid * look) % 100) / 100,
        ramBytes: 4e8 + look * 1e6,
      })),
      { at: 1_000_000 + look * 5_000 },
    )
    expect(sizeOf(shown.next(moved).update)).toBeLessThan(20_000)
  }
})

test('a mass change comes in parts, each under 20 kB, and then all is told', () => {
  const first = clusterOf(many())
  const lost = clusterOf(
    many(() => ({ status: 'unknown', name: 'ein recht langer Name mit Umläuten äöü', cpuRatio: 0 })),
    { missing: Array.from({ length: 50 }, (_, i) => `node${i} is offline`) },
  )
  const shown = createShown(first)
  const updates: ClusterUpdate[] = []
  for (let isMore = true; isMore; ) {
    const next = shown.next(lost)
    if (next.update !== undefined) updates.push(next.update)
    isMore = next.isMore
    expect(updates.length).toBeLessThan(200)
  }
  expect(Math.max(...updates.map(sizeOf))).toBeLessThan(20_000)
  expect([...fold(first, updates).values()]).toEqual(lost.guests)
  expect(shown.next(lost).update).toBeUndefined()
})

test('states go before figures, and a large move before a small one', () => {
  const shown = createShown(clusterOf(many()))
  const { update } = shown.next(
    clusterOf(
      many((vmid) => ({
        cpuRatio: vmid === 2_500 ? 0.99 : 0.101,
        ...(vmid === 2_999 && { status: 'stopped' as const }),
      })),
    ),
  )
  expect(update?.guests?.slice(0, 2).map(({ vmid }) => vmid)).toEqual([2_999, 2_500])
})

test('small moves alone are told in turn until none is old', () => {
  const first = clusterOf(many())
  const shown = createShown(first)
  const updates: ClusterUpdate[] = []
  for (let look = 1; look <= 60; look += 1) {
    const state = clusterOf(
      many(() => ({ uptimeS: 3_600 + look * 5 })),
      { at: 1_000_000 + look * 5_000 },
    )
    const { update } = shown.next(state)
    if (update !== undefined) updates.push(update)
  }
  const uptimes = [...fold(first, updates).values()].map(({ uptimeS }) => uptimeS ?? 0)
  expect(Math.min(...uptimes)).toBeGreaterThan(3_600)
})

test('who comes later gets what the others know, so that the next update fits for all', () => {
  const first = clusterOf(many())
  const shown = createShown(first)
  const moved = clusterOf(many(() => ({ status: 'stopped' })))
  const { update } = shown.next(moved)
  const known = fold(first, update === undefined ? [] : [update])
  expect(shown.state().guests).toEqual([...known.values()])
})

test('what is gone is said, and so is that the cluster is away and back', () => {
  const shown = createShown(clusterOf([guest(100), guest(101)]))
  expect(shown.next(clusterOf([guest(100)])).update).toEqual({ at: 1_000_000, removedGuests: [101] })
  const away = clusterOf([guest(100)], { unreachableSince: 1_005_000, missing: ['last seen 5 s ago'] })
  expect(shown.next(away).update).toMatchObject({ unreachableSince: 1_005_000, missing: ['last seen 5 s ago'] })
  expect(shown.next(clusterOf([guest(100)])).update).toMatchObject({ unreachableSince: null, missing: [] })
})

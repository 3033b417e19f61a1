import type { MaintenanceWindow } from 'protocol'
import { expect, test } from 'vitest'
import type { AlertStore, CheckStore, StoredAlert, WindowStore } from '../../src/watch/alert.ts'
import type { LeaningStore } from '../../src/watch/read-leaning.ts'

const alert = (id: string, more: Partial<StoredAlert> = {}): StoredAlert => ({
  id,
  check: 'node-heat',
  object: { id: 'node/pve', name: 'pve', node: 'pve' },
  severity: 'look',
  state: 'firing',
  sentence: 'pve is at 81 °C.',
  since: 10,
  firedAt: 20,
  seenAt: 30,
  values: ['81 °C'],
  turns: [],
  told: [],
  ...more,
})
const ended = (id: string, resolvedAt: number, more: Partial<StoredAlert> = {}) =>
  alert(id, { state: 'resolved', resolvedAt, ending: '81 → 70 °C', ...more })

/** The contract of every AlertStore. */
export function alertStoreContract(open: () => AlertStore) {
  test('an alert is kept as it was saved, and one that is removed is forgotten', () => {
    const store = open()
    expect([store.get('a'), store.current(0)]).toEqual([undefined, []])
    store.save(alert('a', { state: 'pending' }))
    const firing = alert('a', { told: [{ at: 5, what: 'fired', words: '1 device' }] })
    store.save(firing)
    expect([store.get('a'), store.current(0)]).toEqual([firing, [firing]])
    store.remove('a')
    expect([store.get('a'), store.current(0)]).toEqual([undefined, []])
  })

  test('an ended alert is current for as long as it counts', () => {
    const store = open()
    store.save(ended('a', 100), 500)
    store.save(alert('b'))
    const idsAt = (now: number) =>
      store
        .current(now)
        .map(({ id }) => id)
        .sort()
    expect([idsAt(499), idsAt(500)]).toEqual([['a', 'b'], ['b']])
  })

  test('ended alerts are read in pages, newest first, by check, object and node', () => {
    const store = open()
    const other = { check: 'backup-old', object: { id: 'vm/101', node: 'agent1' } }
    for (const [id, at] of [
      ['a', 100],
      ['b', 100],
      ['c', 300],
    ] as const)
      store.save(ended(id, at))
    store.save(ended('d', 200, other))
    store.save(alert('e'))
    const ids = (query: Omit<Parameters<AlertStore['ended']>[0], 'limit'>, limit = 9) =>
      store.ended({ limit, ...query }).map(({ id }) => id)
    expect([ids({}, 2), ids({ before: { at: 200, id: 'd' } }, 1), ids({ before: { at: 100, id: 'b' } })]).toEqual([
      ['c', 'd'],
      ['b'],
      ['a'],
    ])
    expect([ids({ check: 'backup-old' }), ids({ object: 'node/pve' }), ids({ node: 'agent1' })]).toEqual([
      ['d'],
      ['c', 'b', 'a'],
      ['d'],
    ])
    expect([store.countEnded(100), store.countEnded(99)]).toEqual([2, 4])
    expect(store.earlier('node-heat node/pve', 100)).toEqual({ count: 1, longestMs: 280, lastAt: 20 })
    expect(store.earlier('node-heat node/other', 0)).toEqual({ count: 0 })
    store.prune(200)
    expect(ids({})).toEqual(['c', 'd'])
    expect(store.current(0)).toEqual([alert('e')])
  })
}

/** The contract of every CheckStore. */
export function checkStoreContract(open: () => CheckStore) {
  test('what is remembered of a check is replaced', () => {
    const store = open()
    store.save({ id: 'b', lastAt: 10, problem: 'pve2 is offline.' })
    store.save({ id: 'a', isOff: true })
    store.save({ id: 'b', lastAt: 20, durationMs: 3 })
    expect(store.list()).toEqual([
      { id: 'a', isOff: true },
      { id: 'b', lastAt: 20, durationMs: 3 },
    ])
  })
}

/** The contract of every WindowStore. */
export function windowStoreContract(open: () => WindowStore) {
  test('windows that have not ended are listed, soonest first, until they are removed', () => {
    const store = open()
    const window = (id: string, from: number, until: number): MaintenanceWindow => ({
      id,
      from,
      until,
      name: 'New disk',
      objects: ['node/pve'],
      by: 'lena',
    })
    for (const one of [window('a', 50, 60), window('b', 20, 70), window('c', 1, 30)]) store.add(one)
    expect(store.list(30)).toEqual([window('b', 20, 70), window('a', 50, 60)])
    expect([store.remove('b'), store.remove('b'), store.list(30)]).toEqual([true, false, [window('a', 50, 60)]])
  })
}

export function leaningStoreContract(open: () => LeaningStore) {
  test('the last text that was written is the one that is read', () => {
    const store = open()
    expect(store.read()).toBeUndefined()
    for (const text of ['{}', '', '{"on": "ä"}']) {
      store.write(text)
      expect(store.read()).toBe(text)
    }
  })
}

import { expect, test } from 'vitest'
import type { Drill, DrillStore } from '../../src/drill/drill.ts'

/** The contract of every DrillStore. */
export function drillStoreContract(open: () => DrillStore) {
  const drill = (id: string, more: Partial<Drill> = {}): Drill => ({
    id,
    vmid: 101,
    type: 'vm',
    name: 'web',
    copy: 990_000,
    node: 'pve',
    storage: 'thin',
    level: 3,
    at: 10,
    archive: 'nas:backup/a',
    archiveAt: 5,
    notProven: [],
    step: 'restoring',
    verdict: 'open',
    ...more,
  })

  test('one drill is open at a time, and is kept as it was saved', () => {
    const store = open()
    expect([store.open(), store.lastCopy()]).toEqual([undefined, undefined])
    expect([store.begin(drill('a')), store.begin(drill('b'))]).toEqual([true, false])
    const cleaning = drill('a', { step: 'cleaning', verdict: 'proven', upid: 'UPID:x', left: 'it is still there' })
    store.save(cleaning)
    expect([store.open(), store.begin(drill('b'))]).toEqual([cleaning, false])
    store.save({ ...cleaning, step: 'ended' })
    expect([store.open(), store.begin(drill('b', { copy: 990_001, at: 20 }))]).toEqual([undefined, true])
    expect(store.lastCopy()).toBe(990_001)
  })

  test('the proof of a guest is its newest drill with a verdict that has ended', () => {
    const store = open()
    const ended = (id: string, more: Partial<Drill>) => {
      const all = drill(id, { step: 'ended', ...more })
      expect(store.begin(all)).toBe(true)
      store.save(all)
      return all
    }
    ended('a', { verdict: 'proven', at: 10 })
    const newest = ended('b', { verdict: 'failed', at: 20 })
    ended('c', { verdict: 'stopped', at: 30 })
    const other = ended('d', { vmid: 102, verdict: 'proven', at: 15 })
    store.begin(drill('e', { verdict: 'proven', at: 40 }))
    expect(store.proofs()).toEqual([newest, other])
    expect([store.proofs(101), store.proofs(102), store.proofs(103)]).toEqual([[newest], [other], []])
  })
}

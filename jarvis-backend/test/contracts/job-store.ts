import { expect, test } from 'vitest'
import type { JobStore, StoredJob, StoredSlot } from '../../src/jobs/job.ts'

/** The contract of every JobStore. */
export function jobStoreContract(open: () => JobStore) {
  const job = (id: string, more: Partial<StoredJob> = {}): StoredJob => ({
    id,
    name: id,
    work: { kind: 'heartbeat' },
    schedule: { kind: 'interval', minutes: 5 },
    budget: {},
    state: 'active',
    by: 'ana',
    createdAt: 10,
    failures: 0,
    anchor: 10,
    cursor: 10,
    ...more,
  })
  const slot = (at: number, more: Partial<StoredSlot> = {}): StoredSlot => ({
    jobId: 'a',
    slot: at,
    state: 'done',
    summary: 'It went well.',
    ...more,
  })
  const withJob = () => {
    const store = open()
    store.save(job('a'))
    return store
  }

  test('jobs are kept in the order they were made, and replaced by their id', () => {
    const store = withJob()
    store.save(job('0', { createdAt: 20 }))
    store.save(job('a', { name: 'other', paused: { by: 'ana', at: 30, why: 'x' } }))
    expect(store.list().map(({ id, name }) => [id, name])).toEqual([
      ['a', 'other'],
      ['0', '0'],
    ])
    expect(store.get('a')).toEqual(job('a', { name: 'other', paused: { by: 'ana', at: 30, why: 'x' } }))
    expect([store.remove('a'), store.remove('a'), store.get('a')]).toEqual([true, false, undefined])
  })

  test('a slot is claimed once, however it is claimed again', () => {
    const store = withJob()
    expect([store.claim(slot(5, { state: 'claimed' })), store.claim(slot(5))]).toEqual([true, false])
    expect(store.slot('a', 5)).toEqual(slot(5, { state: 'claimed' }))
    store.update(slot(5, { state: 'running', sessionId: 'ses_1' }))
    expect(store.claim(slot(5, { state: 'claimed' }))).toBe(false)
    expect(store.open()).toEqual([slot(5, { state: 'running', sessionId: 'ses_1' })])
    store.save(job('b'))
    expect([store.claim(slot(5, { jobId: 'b', state: 'waiting' })), store.open('b').length]).toEqual([true, 1])
    store.update(slot(5))
    expect(store.open('a')).toEqual([])
    // With a job go its slots.
    store.remove('a')
    expect(store.slot('a', 5)).toBeUndefined()
  })

  test('slots are paged from the newest, their tokens are summed, and old ones are dropped', () => {
    const store = withJob()
    for (const at of [1, 2, 3, 4]) store.claim(slot(at, { tokens: at * 10, sessionId: `ses_${at}` }))
    store.claim(slot(0, { state: 'waiting', sessionId: 'ses_0' }))
    expect(store.slots('a', { limit: 2 }).map((one) => one.slot)).toEqual([4, 3])
    expect(store.slots('a', { before: 3, limit: 9 }).map((one) => one.slot)).toEqual([2, 1, 0])
    expect(store.prune('a', 2).sort()).toEqual(['ses_1', 'ses_2'])
    expect(store.slots('a', { limit: 9 }).map((one) => one.slot)).toEqual([4, 3, 0])
  })
}

import { expect, test } from 'vitest'
import type { PlanStore, StoredPlan } from '../../src/calls/plans/plan.ts'

const plan = (id: string, startedAt: number, more: Partial<StoredPlan> = {}): StoredPlan => ({
  id,
  sessionId: 'ses_1',
  runId: `run_${id}`,
  asker: { kind: 'chat', name: 'm' },
  until: startedAt + 100,
  facts: { id, hash: 'h', title: 'Hot node', runbook: 'hot-node', inputs: { node: 'pve' }, steps: [] },
  steps: [],
  notes: {},
  script: { steps: [] },
  state: 'running',
  startedAt,
  ...more,
})

export function planStoreContract(create: () => PlanStore) {
  test('a plan begins once, and is found by its id and its run', () => {
    const store = create()
    store.add(plan('a', 10))
    expect(() => store.add(plan('a', 11))).toThrow()
    expect([store.get('a'), store.ofRun('run_a'), store.get('b'), store.ofRun('a')]).toEqual([
      plan('a', 10),
      plan('a', 10),
      undefined,
      undefined,
    ])
  })

  test('what changed is kept; the newest comes first, of one runbook or of all', () => {
    const store = create()
    store.add(plan('a', 10))
    store.add(plan('b', 20, { facts: { ...plan('b', 20).facts, runbook: 'other' } }))
    store.save(plan('a', 10, { state: 'done', endedAt: 15, notes: { 1: { state: 'done', outcome: 'seen' } } }))
    expect(store.get('a')).toMatchObject({ state: 'done', notes: { 1: { outcome: 'seen' } } })
    expect(store.list({ limit: 9 }).map(({ id }) => id)).toEqual(['b', 'a'])
    expect(store.list({ limit: 9, before: 20 }).map(({ id }) => id)).toEqual(['a'])
    expect(store.list({ limit: 1, runbook: 'hot-node' }).map(({ id }) => id)).toEqual(['a'])
  })

  test('plans that ended long ago are forgotten, open ones never', () => {
    const store = create()
    store.add(plan('a', 10))
    store.add(plan('b', 20))
    store.save(plan('b', 20, { state: 'done', endedAt: 30 }))
    store.prune(30)
    expect(store.list({ limit: 9 })).toHaveLength(2)
    store.prune(1_000)
    expect(store.list({ limit: 9 }).map(({ id }) => id)).toEqual(['a'])
  })
}

import { expect, test } from 'vitest'
import type { Spend, SpendingStore } from '../../src/budgets/spending.ts'

const spend = (at: number, more: Partial<Spend> = {}): Spend => ({
  at,
  kind: 'turn',
  model: 'm',
  agent: 'main',
  tokens: 100,
  usd: 0.5,
  ms: 1_000,
  isOpen: false,
  isPartial: false,
  ...more,
})

export function spendingStoreContract(create: () => SpendingStore) {
  test('calls are summed from an instant on, by run, agent and job', () => {
    const store = create()
    store.add(spend(10, { runId: 'a' }))
    store.add(spend(20, { runId: 'b', agent: 'coder', jobId: 'j', usd: undefined }))
    store.add(spend(30, { kind: 'title', jobId: 'k', isPartial: true }))
    const sum = (query: Parameters<SpendingStore['sum']>[0]) => store.sum(query)
    expect(sum({ since: 0 })).toEqual({ calls: 3, tokens: 300, usd: 1, unpriced: 1, minutes: 0.05, isPartial: true })
    expect(sum({ since: 20 }).calls).toBe(2)
    expect(sum({ since: 31 })).toEqual({ calls: 0, tokens: 0, usd: 0, unpriced: 0, minutes: 0 })
    expect(sum({ runId: 'b' })).toMatchObject({ calls: 1, usd: 0, unpriced: 1 })
    expect(sum({ since: 0, agent: 'main' }).calls).toBe(2)
    expect(sum({ since: 0, jobId: 'j' }).calls).toBe(1)
    expect(sum({ since: 0, isJob: true }).calls).toBe(2)
    expect(store.sumsBy('kind', 0).map(({ key, spent }) => [key, spent.calls])).toEqual([
      ['title', 1],
      ['turn', 2],
    ])
    expect(store.sumsBy('jobId', 0).map(({ key }) => key)).toEqual(['j', 'k'])
    expect(store.sumsBy('agent', 30).map(({ key }) => key)).toEqual(['main'])
    expect([store.unpricedSince(0), store.unpricedSince(21)]).toEqual([['m'], []])
  })

  test('an open call counts with its most until it is settled, grown or removed, and a start closes what is open', () => {
    const store = create()
    const open = { isOpen: true, runId: 'a' }
    const [settled, lost, removed] = [spend(1, open), spend(2, open), spend(3, open)].map((spent) => store.add(spent))
    expect(store.sum({ runId: 'a' })).toMatchObject({ calls: 3, tokens: 300 })
    store.settle(settled ?? 0, { tokens: 7, usd: 0.01, ms: 5, isPartial: false })
    store.grow(lost ?? 0, { tokens: 150, usd: undefined })
    store.remove(removed ?? 0)
    expect(store.sum({ runId: 'a' })).toMatchObject({ calls: 2, tokens: 157, usd: 0.01, unpriced: 1 })
    expect([store.closeAll(), store.closeAll()]).toEqual([1, 0])
    store.grow(lost ?? 0, { tokens: 1, usd: 1 })
    expect(store.sum({ runId: 'a' })).toMatchObject({ tokens: 157, isPartial: true })
  })

  test('a run keeps what it may use, and children are found in the order they came', () => {
    const store = create()
    const run = { runId: 'a', sessionId: 'ses_1', isOpen: true, raisedUsd: 0, stoodMs: 0 }
    store.saveRun(run)
    store.saveRun({ ...run, raisedUsd: 1, hasWrappedUp: true })
    for (const runId of ['c', 'b']) store.saveRun({ ...run, runId, parentId: 'a', slice: { tokens: 5 } })
    expect(store.run('a')).toEqual({ ...run, raisedUsd: 1, hasWrappedUp: true })
    expect(store.run('z')).toBeUndefined()
    expect(store.childrenOf('a').map(({ runId, slice }) => [runId, slice])).toEqual([
      ['c', { tokens: 5 }],
      ['b', { tokens: 5 }],
    ])
  })

  test('old calls are dropped, and the runs that have none left', () => {
    const store = create()
    store.add(spend(10, { runId: 'a' }))
    store.add(spend(20, { runId: 'b' }))
    for (const runId of ['a', 'b']) store.saveRun({ runId, sessionId: 'ses_1', isOpen: true, raisedUsd: 0, stoodMs: 0 })
    store.prune(20)
    expect([store.sum({ since: 0 }).calls, store.run('a'), store.run('b')?.runId]).toEqual([1, undefined, 'b'])
  })
}

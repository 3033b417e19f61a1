import { expect, test } from 'vitest'
import type { Generation, GenerationStore } from '../../src/homelab/identities.ts'

/** The contract of every GenerationStore. */
export function generationStoreContract(open: () => GenerationStore) {
  const one = (id: string, vmid: number, seenAt: number): Generation => ({
    vmid,
    name: 'web',
    names: ['web'],
    seenAt,
    marks: { type: 'ct', macs: ['AA'] },
    identity: { id, since: seenAt },
  })

  test('the newest guest of each number is known, as it was saved last', () => {
    const store = open()
    store.save([one('a', 105, 1), one('b', 106, 1)])
    store.save([one('c', 105, 5)])
    store.save([one('a', 105, 9), { ...one('b', 106, 7), name: 'mail' }])
    const newest = store.newest().sort((x, y) => x.vmid - y.vmid)
    expect(newest).toEqual([one('c', 105, 5), { ...one('b', 106, 7), name: 'mail' }])
  })

  test('guests of another cluster are forgotten, those of one that is reached by another address are not', () => {
    const store = open()
    store.keepOf(['https://one'])
    store.save([one('a', 105, 1)])
    store.keepOf(['https://two', 'https://one'])
    expect(store.newest()).toHaveLength(1)
    store.keepOf(['https://other'])
    expect(store.newest()).toEqual([])
  })
}

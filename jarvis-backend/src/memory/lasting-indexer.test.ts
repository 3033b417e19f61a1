import { expect, test } from 'vitest'
import type { Indexer } from './indexer.ts'
import { LastingIndexer } from './lasting-indexer.ts'

test('an index that cannot be made again now is made when somebody asks next', async () => {
  let identity: string | undefined
  let isFull = false
  let made = 0
  const reported: string[] = []
  const lasting = new LastingIndexer({
    place: {
      identity: () => identity,
      remove() {
        identity = undefined
      },
      isDamage: (error) => error === 'damage',
    },
    open() {
      if (isFull) throw new Error('no room')
      made += 1
      identity = String(made)
      const number = made
      return {
        start: async () => {},
        stop: async () => {},
        kinds: () => number,
        status() {
          if (number === 1) throw 'damage'
          return {}
        },
      } as unknown as Indexer
    },
    now: () => 1,
    report: (error) => reported.push((error as Error).message),
  })
  isFull = true
  // In the background, where nobody waits for it.
  expect(lasting.status()).toBeUndefined()
  await expect(lasting.use((indexer) => indexer.kinds())).rejects.toThrow('no room')
  isFull = false
  expect(await lasting.use((indexer) => indexer.kinds())).toBe(2)
  expect(reported).toContain('no room')
})

import { expect, test } from 'vitest'
import { WaitingTexts } from './waiting-texts.ts'

/** A store with `many` waiting texts, and a clock that the test sets. */
function started(many: number) {
  const state = { left: many, now: 0, counts: 0 }
  const text = { hash: Buffer.alloc(1), text: 'a talk' }
  const waiting = new WaitingTexts(
    {
      waiting: (limit) => Array.from({ length: Math.min(limit, state.left) }, () => text),
      countWaiting() {
        state.counts += 1
        return state.left
      },
    },
    { now: () => state.now },
  )
  /** Takes all batches that may be taken now. @returns their sizes */
  function taken(size: number): number[] {
    const next = waiting.batches(size)
    const sizes: number[] = []
    for (let some = next?.() ?? []; some.length > 0; some = next?.() ?? []) {
      sizes.push(some.length)
      state.left -= some.length
      waiting.changed()
    }
    return sizes
  }
  return { state, waiting, taken }
}

test('texts are taken only after a search wanted them, and their embedding begins once', () => {
  const { waiting, taken } = started(5)
  expect(taken(2)).toEqual([])
  expect(waiting.want()).toEqual({ isNew: true, isSoon: true })
  expect(waiting.want()).toEqual({ isNew: false, isSoon: true })
  expect(taken(2)).toEqual([2, 2, 1])
  waiting.satisfied()
  expect(waiting.want()).toEqual({ isNew: false, isSoon: false })
})

test('a search waits for no more than twelve', () => {
  expect(started(12).waiting.want().isSoon).toBe(true)
  expect(started(13).waiting.want().isSoon).toBe(false)
})

test('so many are taken a minute, and the rest in the next one', () => {
  const { state, waiting, taken } = started(350)
  waiting.want()
  expect(taken(100)).toEqual([100, 100, 100])
  waiting.satisfied()
  expect(waiting.want()).toEqual({ isNew: false, isSoon: false })
  state.now += 60_000
  expect(waiting.want()).toEqual({ isNew: true, isSoon: false })
  expect(taken(100)).toEqual([50])
})

test('the store counts once until something changes', () => {
  const { state, waiting } = started(3)
  expect([waiting.count(), waiting.count(), state.counts]).toEqual([3, 3, 1])
  waiting.changed()
  expect([waiting.count(), state.counts]).toEqual([3, 2])
})

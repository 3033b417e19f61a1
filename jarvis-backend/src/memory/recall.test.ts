import { expect, test } from 'vitest'
import { createRecall } from './recall.ts'
import type { Memory } from './remote.ts'

const memory = (call: () => Promise<never>): Memory => ({
  call,
  status: () => undefined,
  hasNotes: () => true,
  stop: async () => {},
})

test.each([
  ['does not answer', () => new Promise<never>(() => {}), 'The memory did not answer within 0.3 s.'],
  [
    'fails',
    () => Promise.reject(new Error('The memory stopped in the middle of this.')),
    'The memory stopped in the middle of this.',
  ],
])('notes that were not searched, as the memory %s, are said not to have been', async (_how, call, why) => {
  expect(await createRecall(memory(call))('How long does the UPS last?')).toEqual({
    items: [],
    problem: `Your notes were not searched for this answer. ${why}`,
  })
})

import { expect, test } from 'vitest'
import { partsOf } from './suggested.tsx'

test('only quoted sentences that were suggested become buttons', () => {
  const text = 'Say “start pbs” or “destroy 104”.'
  expect(partsOf(text, ['start pbs'])).toEqual([
    { key: 0, text: 'Say ' },
    { key: 1, text: '“start pbs”', sentence: 'start pbs' },
    { key: 2, text: ' or ' },
    { key: 3, text: '“destroy 104”' },
    { key: 4, text: '.' },
  ])
  expect(partsOf(text, [])).not.toContainEqual(expect.objectContaining({ sentence: expect.anything() }))
})

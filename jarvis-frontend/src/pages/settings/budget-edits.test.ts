import { expect, test } from 'vitest'
import { typed, withEdits } from './budget-edits.ts'

test('what is typed stays when the limits change elsewhere, and the other fields follow the change', () => {
  const edits = typed(typed({}, ['day', 'usd', '7.5']), ['run', 'calls', ''])
  expect(withEdits({ run: { calls: 9 }, day: { usd: 1, tokens: 5 }, jobs: {} }, edits)).toEqual({
    run: {},
    day: { usd: 7.5, tokens: 5 },
    jobs: {},
  })
  expect(withEdits({ run: { calls: 4, minutes: 2 }, day: { usd: 3 }, jobs: { usd: 2 } }, edits)).toEqual({
    run: { minutes: 2 },
    day: { usd: 7.5 },
    jobs: { usd: 2 },
  })
})

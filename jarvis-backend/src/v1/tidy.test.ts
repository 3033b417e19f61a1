import { expect, test } from 'vitest'
import { createTidy } from './tidy.ts'

test('a session in which a card waits, or that another message followed in, is never removed', async () => {
  const single = ['old', 'waits', 'goes-on', 'gone'].map((name) => ({ runId: `run_${name}`, sessionId: `ses_${name}` }))
  const removed: string[] = []
  const forgotten: string[] = []
  let looks = 0
  const clock = { now: () => 0, after: () => () => {} }
  const tidy = createTidy({
    asked: {
      single() {
        looks += 1
        return single
      },
      forget: (runId) => void forgotten.push(runId),
      forgetOld() {},
    },
    runs: {
      async remove(id) {
        removed.push(id)
      },
    },
    transcripts: {
      session: (id) => (id === 'ses_gone' ? undefined : ({ id } as never)),
      unfinishedRuns: (id) => (id === 'ses_waits' ? ([{ id: 'run_waits' }] as never) : []),
      newestRuns: (id) =>
        (id === 'ses_goes-on' ? ['run_1', 'run_2'] : ['run_1']).map((runId) => ({ type: 'user', runId }) as never),
    },
    clock,
    isStopping: () => false,
    report(error) {
      throw error
    },
  })
  tidy()
  await expect.poll(() => forgotten).toEqual(['run_goes-on', 'run_gone'])
  expect(removed).toEqual(['ses_old'])
  // Within the hour it does not look again.
  tidy()
  expect(looks).toBe(1)
})

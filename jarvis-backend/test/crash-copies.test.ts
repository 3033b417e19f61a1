import { expect, test } from 'vitest'
import type { Point } from './support/copies.ts'
import { expectCopiesAsKills, runsJob } from './support/copies.ts'
import { killedHouse } from './support/killed-house.ts'

const { newDir, life } = killedHouse('jobs')

test('a copy of a life is what a SIGKILL leaves: inside a transaction, after it, and after an effect', async () => {
  const points: Point[] = [['insert executions written'], ['insert journal execution committed'], ['effect done']]
  await expectCopiesAsKills('jobs', points, runsJob)
})

test('a point that a life does not reach is no moment of it', async () => {
  const first = await life({ dataDir: newDir() }, { points: ['effect begun'] })
  expect(() => first.at('effect begun')).toThrow('The life reached "effect begun" 0 times, not 1.')
})

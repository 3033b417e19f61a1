import { afterAll, beforeAll } from 'vitest'
import { openStage, type Stage, test } from './support/browser.ts'
import { readAll } from './support/long-session.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('1,000 exchanges are read upwards, dragged through and led to their first as 150 are', () => readAll(stage, 1_000))

import { afterAll, beforeAll } from 'vitest'
import { openStage, type Stage, test } from './support/browser.ts'
import { diagrams, expectSamePictures } from './support/diagrams.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('diagrams of all kinds look under Trusted Types as they do without, and no other text becomes markup or a script', () =>
  expectSamePictures(stage, diagrams))

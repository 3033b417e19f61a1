import { afterAll, beforeAll } from 'vitest'
import { openStage, type Stage, test } from './support/browser.ts'
import { diagrams, expectSamePictures } from './support/diagrams.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

/** The kind of diagram that answers use most, and one that another library lays out. The night draws all kinds. */
const usual = diagrams.filter((diagram) => /^(flowchart|mindmap)/.test(diagram))

test('diagrams look under Trusted Types as they do without, and no other text becomes markup or a script', () =>
  expectSamePictures(stage, usual))

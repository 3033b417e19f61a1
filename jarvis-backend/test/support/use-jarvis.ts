import { afterAll, afterEach, beforeAll } from 'vitest'
import { type ScriptedModel, type ScriptedTurn, scripted } from './scripted-model.ts'
import { type StartOptions, startJarvis, type TestJarvis } from './start-jarvis.ts'

/**
 * One JARVIS for all tests of a file. It starts before them and stops after them. What one test leaves in it, the next one finds: `reset()` gives an
 * empty house. A test that needs a start of its own, such as one about restarts, calls `startJarvis`.
 */
export function useJarvis(options: Omit<StartOptions, 'model' | 'atEnd'> = {}) {
  let jarvis: TestJarvis
  let end: () => Promise<void>
  let model: ScriptedModel = scripted()
  const start = async (more: typeof options = {}) => {
    const playing = {
      ...model,
      generate: (...asked: Parameters<ScriptedModel['generate']>) => model.generate(...asked),
    }
    jarvis = await startJarvis({ ...options, ...more, model: playing, atEnd: (ends) => (end = ends) })
  }
  beforeAll(() => start())
  afterEach(() => jarvis.disconnect())
  afterAll(() => end())
  const own = {
    /** The model's next turns. What was left of the last ones is gone. */
    plays(...turns: ScriptedTurn[]): ScriptedModel {
      model = scripted(...turns)
      return model
    },
    /** True if the model has played all its turns. */
    scriptIsDone: () => model.left() === 0,
    /** @returns what lists the changes that reached the cluster since now */
    changesFromNow() {
      const before = jarvis.controls.effects.length
      return () => jarvis.controls.effects.slice(before)
    },
    /** A new, empty house with the same options, and those given here. Costs a start, some 60 ms of CPU time. */
    async reset(more: typeof options = {}): Promise<void> {
      await end()
      model = scripted()
      await start(more)
    },
  }
  return new Proxy(own as typeof own & TestJarvis, {
    get: (_, name) => Reflect.get(name in own ? own : jarvis, name) as unknown,
  })
}

import { onTestFinished } from 'vitest'
import { type FakeContainer, serveDocker } from './docker-engine.ts'

export type { FakeContainer } from './docker-engine.ts'

/** A Docker Engine on a UNIX socket until the test ends. */
export async function startDocker(containers: FakeContainer[]) {
  const engine = await serveDocker(containers)
  onTestFinished(engine.close)
  return engine
}

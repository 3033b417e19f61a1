import type { Page } from 'playwright-core'
import { beforeAll } from 'vitest'
import { atFileEnd, dashboardDir, go, useBrowser } from './browser.ts'
import { scripted } from './scripted-model.ts'
import { startJarvis, type TestJarvis } from './start-jarvis.ts'

/**
 * A server and an operator's page that tests of a file share, because a new chat costs far less than a new page. Each test takes a new chat, and guests that
 * no other test changes. What a failed test leaves waiting stays on the page.
 */
export function useSharedChat(options: Parameters<typeof startJarvis>[0] = {}) {
  const { operator } = useBrowser()
  const atEnd = atFileEnd()
  let model = scripted()
  let jarvis: TestJarvis
  let page: Page
  beforeAll(async () => {
    const ofTheTest = { ...model, generate: (...asked: Parameters<typeof model.generate>) => model.generate(...asked) }
    jarvis = await startJarvis({ ...options, dashboardDir, model: ofTheTest, atEnd })
    page = await operator(jarvis, { atEnd })
  })
  /** Opens a new chat, whose model plays these turns. `effects`: what was done to the cluster since. */
  return async function newChat(...turns: Parameters<typeof scripted>) {
    model = scripted(...turns)
    if (new URL(page.url()).pathname !== '/') await go(page, '/')
    const before = jarvis.controls.effects.length
    return { jarvis, page, model, effects: () => jarvis.controls.effects.slice(before) }
  }
}

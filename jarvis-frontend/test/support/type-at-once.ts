import type { Page } from 'playwright-core'

/**
 * Types words as fast as a hand does, however busy the machine is: all keys are on their way before the page has handled the first. `type` of
 * Playwright waits for the page after each key, by which time a word may count as letters alone.
 */
export async function typeAtOnce(page: Page, words: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const keys = [...words].flatMap((key) => [
    session.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text: key, unmodifiedText: key }),
    session.send('Input.dispatchKeyEvent', { type: 'keyUp', key }),
  ])
  await Promise.all(keys)
  await session.detach()
}

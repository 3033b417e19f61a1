import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { savesData, sharedBrowser } from '../../../scripts/shared-browser.ts'
import { slowDown, slowDownPage } from '../../../scripts/slow-pages.ts'
import { testWith } from '../../../scripts/test-with.js'
import type { AtEnd } from './file-end.ts'
import { password, type TestJarvis } from './start-jarvis.ts'

export { atFileEnd } from './file-end.ts'
export { go } from './go.ts'

export const dashboardDir = fileURLToPath(new URL('../../../jarvis-frontend/dist', import.meta.url))

export const test = testWith('Chromium')

/**
 * `fetchesAhead`: whether all parts of the dashboard are fetched while the page is idle; absent: each on first use, which costs less.
 * `first`: a script that runs in each page before its own.
 * `atEnd`: takes what closes the page; absent: the page ends with its test.
 */
type Options = BrowserContextOptions & { fetchesAhead?: boolean; first?: string; atEnd?: AtEnd }

/** People at pages, each with a context of their own in the shared browser. */
export function useBrowser() {
  async function open(
    url: string,
    { fetchesAhead = false, first, atEnd = onTestFinished, ...options }: Options,
  ): Promise<Page> {
    const browser = await sharedBrowser()
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    })
    if (!fetchesAhead) await context.addInitScript(savesData)
    if (first !== undefined) await context.addInitScript(first)
    // As an error of its own: what the browser says of it may read like a lost connection, which is let pass.
    await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
      reportError(new Error('Against the CSP: ' + event.effectiveDirective + ' ' + (event.sample || event.blockedURI))))`)
    await slowDown(context)
    const page = await context.newPage()
    await slowDownPage(page)
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (
        message.type() === 'error' &&
        !/status of 4\d\d|net::ERR|WebSocket|Disconnection timed out/.test(message.text())
      )
        complaints.push(message.text())
    })
    atEnd(async () => {
      await context.close()
      expect(complaints).toEqual([])
    })
    await page.goto(url)
    return page
  }

  /** One with a token in the browser's storage, at a path. */
  function signedIn(url: string, token: string, options: Options = {}, path = '/'): Promise<Page> {
    const origins = [{ origin: url, localStorage: [{ name: 'jarvis.token', value: token }] }]
    return open(url + path, { ...options, storageState: { cookies: [], origins } })
  }

  return {
    /** At any address. */
    open,
    signedIn,
    /** A person with a browser of their own. Whatever the page complains of fails the test. */
    person: (jarvis: TestJarvis, options: Options = {}) => open(jarvis.url, options),
    /** One who signed in before: doing it has tests of its own. @param path absent: the chat, ready to be typed into */
    async operator(
      jarvis: Pick<TestJarvis, 'url' | 'token'> & Partial<Pick<TestJarvis, 'stepUp'>>,
      options: Options = {},
      path?: string,
      /** True if this person has just given the password again. */
      gavePassword = true,
    ): Promise<Page> {
      const token = jarvis.token('operator')
      if (gavePassword) await jarvis.stepUp?.(token)
      const page = await signedIn(jarvis.url, token, options, path)
      if (path === undefined) await page.getByRole('textbox', { name: 'Message' }).waitFor()
      return page
    },
  }
}

export const passwordDialog = (page: Page) => page.getByRole('dialog', { name: 'Password' })

export async function givePassword(page: Page, given = password) {
  await passwordDialog(page).getByLabel('Password', { exact: true }).fill(given)
  await passwordDialog(page).getByRole('button', { name: 'Go on' }).click()
}

export async function signIn(page: Page) {
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
}

export async function say(page: Page, message: string) {
  await page.getByRole('textbox', { name: 'Message' }).fill(message)
  await page.keyboard.press('Control+Enter')
}

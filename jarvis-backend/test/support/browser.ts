import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { chromiumArgs, findChromium } from '../../../scripts/chromium.js'
import { testWith } from '../../../scripts/test-with.js'
import { password, type TestJarvis } from './start-jarvis.ts'

export const dashboardDir = fileURLToPath(new URL('../../../jarvis-frontend/dist', import.meta.url))

export const test = testWith('Chromium')

/** One browser for a file's tests. */
export function useBrowser() {
  let browser: Browser | undefined
  beforeAll(async () => {
    const executablePath = findChromium()
    if (executablePath === undefined) throw new Error('No Chromium found. Install it, or set CHROMIUM_PATH.')
    browser = await chromium.launch({ executablePath, args: chromiumArgs })
  })
  afterAll(() => browser?.close())

  async function open(url: string, options: BrowserContextOptions): Promise<Page> {
    if (browser === undefined) throw new Error('The browser is not running.')
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    })
    // As an error of its own: what the browser says of it may read like a lost connection, which is let pass.
    await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
      reportError(new Error('Against the CSP: ' + event.effectiveDirective + ' ' + (event.sample || event.blockedURI))))`)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 4\d\d|net::ERR|WebSocket/.test(message.text()))
        complaints.push(message.text())
    })
    onTestFinished(async () => {
      await context.close()
      expect(complaints).toEqual([])
    })
    await page.goto(url)
    return page
  }

  return {
    /** A person with a browser of their own. Whatever the page complains of fails the test. */
    person: (jarvis: TestJarvis, options: BrowserContextOptions = {}) => open(jarvis.url, options),
    /** One who signed in before: doing it has tests of its own. @param path absent: the chat, ready to be typed into */
    async operator(
      jarvis: Pick<TestJarvis, 'url' | 'token'> & Partial<Pick<TestJarvis, 'stepUp'>>,
      options: BrowserContextOptions = {},
      path?: string,
      /** Whether this person has just given the password again. */
      gavePassword = true,
    ): Promise<Page> {
      const token = jarvis.token('operator')
      if (gavePassword) await jarvis.stepUp?.(token)
      const localStorage = [{ name: 'jarvis.token', value: token }]
      const storageState = { cookies: [], origins: [{ origin: jarvis.url, localStorage }] }
      const page = await open(jarvis.url + (path ?? '/'), { ...options, storageState })
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
  await page.keyboard.press('Enter')
}

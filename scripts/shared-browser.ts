import type { Browser } from 'playwright-core'
import { chromiumArgs, findChromium } from './chromium.js'

const ends = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
/** For every launch: Playwright takes its own listeners away only when no browser runs any more. */
export const withoutSignals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }

let browser: Browser | undefined

/** The browser of this test worker: the first file starts it, all share it, and it ends with the worker. @throws without Chromium */
export async function sharedBrowser(): Promise<Browser> {
  if (browser?.isConnected()) return browser
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('No Chromium found. Install it, or set CHROMIUM_PATH.')
  // Loaded here, since `leftovers.ts` imports this file for every test.
  const { chromium } = await import('playwright-core')
  browser = await chromium.launch({ executablePath, args: chromiumArgs, ...withoutSignals })
  for (const signal of ends) process.on(signal, endWithBrowser)
  browser.once('disconnected', () => {
    for (const signal of ends) process.off(signal, endWithBrowser)
  })
  return browser
}

/** For `addInitScript`: the page of a person who saves data, and so fetches no part before its first use. */
export const savesData = "Object.defineProperty(NetworkInformation.prototype, 'saveData', { get: () => true })"

/** The state of the browser: if it runs, and how many contexts are open in it. */
export const sharedBrowserState = () => ({
  isRunning: browser?.isConnected() ?? false,
  contexts: browser?.contexts().length ?? 0,
})

/** A signal alone would not run the handlers of `exit`, where Playwright ends the browser and removes its profile. */
function endWithBrowser(): void {
  process.emit('exit', 1)
  process.kill(process.pid, 'SIGKILL')
}

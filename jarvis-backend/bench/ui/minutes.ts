import { performance } from 'node:perf_hooks'
import { chromium } from 'playwright-core'
import { findChromium } from '../../../scripts/chromium.js'
import type { Setup } from '../setup.ts'

/** The request to the upstream: 20 seconds of 200 tokens a second. */
const question = 'markdown 4000'

/**
 * Streams answers into one new conversation on one page, one after the other. The dashboard must be built.
 * @param minutes how long
 * @returns a table: after each answer the page's live heap after a collection, MB, and its DOM nodes
 * @throws Error without Chromium, or where an answer takes longer than two minutes
 */
export async function minutesOfStream(setup: Setup, minutes: number): Promise<string> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('No Chromium found. Install it, or set CHROMIUM_PATH.')
  const server = await setup.startServer('jarvis', setup.newDir())
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  setup.onClose(() => browser.close())
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  context.setDefaultTimeout(120_000)
  await context.addInitScript(`localStorage.setItem('jarvis.token', ${JSON.stringify(server.token)})`)
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable')
  const lines = ['| minute | heap, MB | DOM nodes |', '|---|---|---|']
  const look = async (minute: number) => {
    for (let i = 0; i < 3; i++) await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    const { nodes } = await session.send('Memory.getDOMCounters')
    lines.push(`| ${minute.toFixed(1)} | ${(usedSize / 1e6).toFixed(1)} | ${nodes} |`)
  }
  await page.goto(server.url)
  const field = page.locator('#composer')
  await field.waitFor()
  await look(0)
  const since = performance.now()
  for (let minute = 0; minute < minutes; ) {
    await field.fill(question)
    await page.keyboard.press('Enter')
    const stop = page.locator('.composer .stop')
    await stop.waitFor()
    await stop.waitFor({ state: 'detached' })
    minute = (performance.now() - since) / 60_000
    await look(minute)
  }
  return lines.join('\n')
}

import type { BrowserContext, Page } from 'playwright-core'

/** How many times slower a page computes; 1: as fast as the machine does. */
const slowness = Number(process.env.JARVIS_TEST_SLOW ?? 1)

/** The shortest and the longest time, in ms, that a request waits before it is sent. Drawn for each, so that answers overtake each other. */
const delay = { least: 100, most: 300 } as const

/** With `JARVIS_TEST_SLOW=4`, all pages of this context compute four times slower, and their requests and messages arrive late. */
export async function slowDown(context: BrowserContext): Promise<void> {
  // Pages fetch ahead when they rest, which they seldom do beside other tests.
  // Less than the test has, so that a failure says what was waited for.
  context.setDefaultTimeout(Number(process.env.JARVIS_TEST_WAIT_MS ?? 30_000))
  if (slowness <= 1) return
  await context.route('**/*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, delay.least + Math.random() * (delay.most - delay.least)))
    // The page may have gone meanwhile.
    await route.fallback().catch(() => {})
  })
  context.on('page', (page) => void slowDownPage(page).catch(() => {}))
}

/** Called for a page before its first address, since the event of the context may come after it. */
export async function slowDownPage(page: Page): Promise<void> {
  if (slowness <= 1) return
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowness })
  // Routes do not see the messages of a WebSocket.
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: delay.least,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
}

import { expect } from 'vitest'
import { dashboardDir, test, useBrowser } from './support/browser.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const people = useBrowser()

/**
 * Opens a page for the first time in a browser. @returns its requests, and the bytes of their answers and of the sockets, until nothing moves.
 * `hasNews`: true if the server reported a change meanwhile, which is then read beside what the page needs
 */
async function weigh(jarvis: TestJarvis, path: string, isSignedIn: boolean) {
  const storage = [{ name: 'jarvis.token', value: jarvis.token('operator') }]
  const origins = isSignedIn ? [{ origin: jarvis.url, localStorage: storage }] : []
  const page = await people.open('about:blank', { storageState: { cookies: [], origins } })
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  const addresses: string[] = []
  let bytes = 0
  let hasNews = false
  cdp.on('Network.requestWillBeSent', ({ request }) => addresses.push(`${request.method} ${request.url}`))
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  cdp.on('Network.webSocketFrameReceived', ({ response }) => {
    bytes += response.payloadData.length
    hasNews ||= response.payloadData.includes('"changed"')
  })
  await page.goto(jarvis.url + path)
  if (isSignedIn) await page.getByText('· live').waitFor()
  await page.waitForLoadState('networkidle')
  const twice = addresses.filter((address, at) => address.startsWith('GET') && addresses.indexOf(address) !== at)
  return { requests: addresses.length, kB: Math.round(bytes / 1_000), twice, hasNews }
}

/** 40 requests and 350 kB are promised. */
const most: Record<string, { requests: number; kB: number }> = {
  'signed out': { requests: 20, kB: 265 },
  '/': { requests: 34, kB: 320 },
  '/cluster': { requests: 34, kB: 325 },
  '/guest/101': { requests: 40, kB: 350 },
}

test('a page that is opened for the first time makes few and small requests, and reads no address twice', async () => {
  // The demo's cluster stands, so that little news comes.
  const jarvis = await startJarvis({ dashboardDir, clusterStands: true })
  const isChecked = async () => ((await (await jarvis.rest('/api/alerts')).json()) as { checkedAt: unknown }).checkedAt
  await expect.poll(isChecked).not.toBeNull()
  for (const [name, limits] of Object.entries(most)) {
    const weighed = () => (name === 'signed out' ? weigh(jarvis, '/', false) : weigh(jarvis, name, true))
    let weight = await weighed()
    while (weight.hasNews) weight = await weighed()
    expect([name, weight.twice]).toEqual([name, []])
    expect(weight.requests, `requests of ${name}`).toBeLessThanOrEqual(limits.requests)
    expect(weight.kB, `kB of ${name}`).toBeLessThanOrEqual(limits.kB)
  }
})

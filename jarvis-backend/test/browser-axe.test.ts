import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { seriousFindings, wear } from './support/axe.ts'
import { atFileEnd, go, test, useBrowser } from './support/browser.ts'
import { acts, lively, sizes } from './support/lively.ts'

// By day the pages that have a component of every kind; every page in both themes, sizes and roles: `browser-axe.night.test.ts`.

const { operator } = useBrowser()
let house: Awaited<ReturnType<typeof lively>>
let page: Page
const atEnd = atFileEnd()
beforeAll(async () => {
  house = await lively({ atEnd })
  page = await operator(house.jarvis, { atEnd, colorScheme: 'dark', viewport: sizes.desktop }, house.chat.path)
})

/** These pages have a component of every kind. */
const gallery = ['/chat/', '/cluster', '/agents/tools', '/settings/people', '/settings/safety']

const shows = (seen: string) => page.getByText(seen).filter({ visible: true }).first().waitFor()

test('axe finds nothing serious at a desk, nor on a phone in the light theme, where every kind of component is', async () => {
  const found: string[] = []
  const look = async (name: string, where: Parameters<typeof seriousFindings>[0] = page) =>
    found.push(...(await seriousFindings(where)).map((line) => `${name} ${line}`))
  const pages = house.pages.filter(({ path }) => gallery.some((one) => path.startsWith(one)))
  expect(pages).toHaveLength(gallery.length)
  for (const { path, seen } of pages) {
    await go(page, path)
    await shows(seen)
    await look(path)
    await page.setViewportSize(sizes.phone)
    await wear(page, 'light')
    await page.getByRole('link', { name: 'More', exact: true }).first().waitFor()
    await shows(seen)
    await look(`${path} on a phone`)
    await page.setViewportSize(sizes.desktop)
    await wear(page, 'dark')
    await page.getByRole('link', { name: 'More', exact: true }).first().waitFor({ state: 'hidden' })
  }
  for (const key of ['Control+k', '?']) {
    await page.keyboard.press(key)
    await page.getByRole('dialog').waitFor()
    await look(key, page.getByRole('dialog'))
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  expect(await page.title()).toMatch(/^\(1\) .+ · JARVIS$/)

  // The same window, of nobody and then of a viewer.
  await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
  await page.getByLabel('Password', { exact: true }).waitFor()
  await look('sign-in')
  await page.evaluate(`localStorage.setItem('jarvis.token', ${JSON.stringify(house.jarvis.token('viewer'))})`)
  await page.goto(house.jarvis.url + house.chat.path)
  for (const { path, seen } of pages) {
    if (path !== house.chat.path) await go(page, path)
    await shows(seen)
    if (path === house.chat.path) await look('a viewer’s chat')
    const offered = await page.getByRole('button', { name: acts }).allTextContents()
    found.push(...offered.map((name) => `${path} offers a viewer ${name}`))
  }
  expect(found).toEqual([])
})

test('a card is decided with one hand: Deny and Approve stand in the lower half, 44 px high, and nothing is cut', async () => {
  const phone = await operator(house.jarvis, { viewport: sizes.phone }, house.chat.path)
  for (const name of [/^Deny/, /^Approve: stop 103/]) {
    const button = phone.getByRole('button', { name }).first()
    await button.waitFor()
    const box = await button.boundingBox()
    expect(box?.height, String(name)).toBeGreaterThanOrEqual(44)
    expect(box?.y, String(name)).toBeGreaterThan(sizes.phone.height / 2)
    expect((box?.x ?? 0) + (box?.width ?? 0), String(name)).toBeLessThanOrEqual(sizes.phone.width)
    // The topmost element there is the button itself: no bar and no line covers it.
    const hit = `document.elementFromPoint(${(box?.x ?? 0) + 20}, ${(box?.y ?? 0) + 22}).closest('button')?.textContent`
    expect(await phone.evaluate<string>(hit), String(name)).toMatch(name)
  }
})

test('the dashboard can be installed: manifest, icons and colours are served', async () => {
  const read = (path: string) => fetch(house.jarvis.url + path)
  type Manifest = { display: string; start_url: string; icons: { src: string; sizes: string; purpose: string }[] }
  const manifest = (await (await read('/manifest.webmanifest')).json()) as Manifest
  expect(manifest).toMatchObject({ display: 'standalone', start_url: '/' })
  expect(manifest.icons.some(({ purpose }) => purpose === 'maskable')).toBe(true)
  for (const { src, sizes } of manifest.icons) {
    const response = await read(src)
    expect(response.status, src).toBe(200)
    if (!src.endsWith('.png')) continue
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, src).toBe(sizes)
  }
  const worker = await read('/sw.js')
  expect(worker.headers.get('content-type')).toContain('javascript')
  expect(worker.headers.get('cache-control')).not.toContain('immutable')
})

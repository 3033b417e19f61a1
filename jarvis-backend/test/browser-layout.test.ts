import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { isNight, rowsOf } from '../../scripts/property-runs.ts'
import { atFileEnd, go, test, useBrowser } from './support/browser.ts'
import { lively } from './support/lively.ts'

const { operator } = useBrowser()
const atEnd = atFileEnd()
let house: Awaited<ReturnType<typeof lively>>
beforeAll(async () => {
  house = await lively({ atEnd })
  const put = async (path: string, json: object, method = 'PUT') => {
    const reply = await house.jarvis.rest(`/api/${path}`, { method, json })
    expect(reply.status, await reply.clone().text()).toBeLessThan(300)
  }
  await put('models/together-ai-account', {
    kind: 'openai-chat',
    baseUrl: 'https://api.a-rather-long-name-of-a-provider.example/v1/openai',
    apiKey: 'sk-abcdef1234567890',
    models: ['meta-llama/Llama-3.3-70B-Instruct-Turbo-Free', 'qwen/qwen3-235b-a22b-thinking-2507'],
  })
  await put(
    'mcp-servers',
    { name: 'a-longer-name-of-a-server', type: 'http', url: 'https://mcp.a-long-host.example/mcp', enabled: false },
    'POST',
  )
})

/** By day the width where the header of a desk is fullest, and the least one. */
const widths = isNight ? [1440, 1280, 1024, 768, 390, 320] : [1280, 320]
/** Pages that had faults, which the day sees beside a part of the others. */
const oftenAmiss = ['/alerts', '/journal', '/settings/models', '/settings/mcp-servers']
const shown = (page: Page, seen: string) => page.getByText(seen).filter({ visible: true }).first().waitFor()

/** Faults of the page as it stands: a document that scrolls, parts of the header beyond the screen, and names of rows without room. */
const faults = `(() => {
  const { scrollHeight, scrollWidth } = document.documentElement
  const beyond = [...document.querySelectorAll('.head > *, .top > *')].filter(
    (part) => part.getBoundingClientRect().right > innerWidth,
  )
  const squeezed = [...document.querySelectorAll('.fact-list > li > :nth-child(2 of :not(.vh))')].filter(
    (name) => name.getClientRects().length > 0 && name.clientWidth < 100 && name.scrollHeight > 60,
  )
  return [
    ...(scrollHeight > innerHeight ? ['the document is ' + (scrollHeight - innerHeight) + ' px too high'] : []),
    ...(scrollWidth > innerWidth ? ['the document is ' + (scrollWidth - innerWidth) + ' px too wide'] : []),
    ...beyond.map((part) => '“' + part.textContent + '” is cut from the header'),
    ...squeezed.map((name) => '“' + name.textContent + '” has ' + name.clientWidth + ' px'),
  ]
})()`

test('at no width does a page scroll as a whole, cut its header or squeeze the names of its rows, beside a card that waits', async () => {
  const page = await operator(house.jarvis, {}, house.chat.path)
  const found: string[] = []
  const often = house.pages.filter(({ path }) => oftenAmiss.includes(path))
  const others = house.pages.filter((one) => !often.includes(one))
  for (const { path, seen } of [{ path: '/guest/104', seen: 'jellyfin' }, ...often, ...rowsOf(others, 6)]) {
    await go(page, path)
    await shown(page, seen)
    for (const width of widths) {
      await page.setViewportSize({ width, height: width === 320 ? 480 : 800 })
      await page
        .locator(width < 768 ? '.top' : path.startsWith('/waiting') ? '.head' : '.head .waiting-button')
        .waitFor()
      found.push(...(await page.evaluate<string[]>(faults)).map((fault) => `${path} at ${width}: ${fault}`))
    }
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  expect(found).toEqual([])
})

test('in the table of guests a name has its room beside a call that waits, and “unknown” stands in its column', async () => {
  const page = await operator(house.jarvis, {}, '/cluster')
  await page.getByRole('row', { name: /103 truenas/ }).waitFor()
  const cut = () =>
    page.evaluate(`[...document.querySelectorAll('.guests td:last-child, .guests .who a.cut')]
      .filter((cell) => cell.scrollWidth > cell.clientWidth)
      .map((cell) => cell.textContent)`)
  for (const width of [1440, 1280]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await cut(), `${width}`).toEqual([])
  }
})

/** How far the page moves by itself while it loads: the sum of its layout shifts, as the Layout Instability API measures them. */
const shifts = `globalThis.shifted = 0
new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) if (!shift.hadRecentInput) globalThis.shifted += shift.value
}).observe({ type: 'layout-shift', buffered: true })`
const mostShifted = 0.05

test.each([
  ['desk', { width: 1440, height: 900 }],
  ['phone', { width: 390, height: 844 }],
])('while it loads, no page moves what is read, on a %s', async (_kind, viewport) => {
  const page = await operator(house.jarvis, { viewport, first: shifts }, house.chat.path)
  const found: [path: string, shifted: number][] = []
  for (const { path, seen } of [
    { path: '/guest/104', seen: 'jellyfin' },
    { path: '/guest/104?tab=config', seen: 'Config' },
    ...rowsOf(
      [
        ...house.pages,
        { path: '/node/pve', seen: 'truenas' },
        { path: '/storage/nvme-fast?node=pve', seen: 'vm-123-disk-0' },
      ],
      4,
    ),
  ]) {
    await page.goto(house.jarvis.url + path)
    await shown(page, seen)
    await page.waitForLoadState('networkidle')
    found.push([path, await page.evaluate<number>('shifted')])
  }
  expect(found.filter(([, shifted]) => shifted >= mostShifted)).toEqual([])
})

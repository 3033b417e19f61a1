import { dayMs, minuteMs, quarterMs, samplesOf } from 'homelab-ports/samples'
import { systemClock } from 'node-kit/clock'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { isNight } from '../../scripts/property-runs.ts'
import type { Database } from '../src/store/sqlite/database.ts'
import { SqliteSampleStore } from '../src/store/sqlite/samples/samples.ts'
import { findingsAtNight, wear } from './support/axe.ts'
import { atFileEnd, dashboardDir, test, useBrowser } from './support/browser.ts'
import { createSimulator } from './support/simulator.ts'
import { startJarvis, type TestJarvis, tokenFor } from './support/start-jarvis.ts'

const { signedIn } = useBrowser()
const env = { JARVIS_EMBEDDINGS: 'none', LOG_LEVEL: 'warn', JARVIS_PROTECTED: 'ct/130' }

/** A week in which nvme-fast filled, and the node agent was away for hours. */
function withPast(database: Database): Database {
  const ring = new SqliteSampleStore(database)
  const { cluster } = createSimulator({ clock: systemClock, protectedTargets: new Set() })
  const samples = samplesOf(cluster.state())
  const now = Date.now() - (Date.now() % minuteMs)
  cluster.close()
  const keep = (at: number) => {
    const days = (now - at) / dayMs
    const isAway = days > 0.2 && days < 0.4
    ring.keep(
      at,
      samples
        .filter(({ name }) => !(isAway && name === 'node/agent'))
        .map(({ name, values }) => ({
          name,
          values: values.map((value) => (name.includes('nvme') && value !== undefined ? value - days * 0.01 : value)),
        })),
    )
  }
  const first = now - 7 * dayMs
  for (let at = first - (first % quarterMs); at < now - dayMs / 2; at += quarterMs) keep(at)
  for (let at = now - dayMs / 2; at <= now; at += minuteMs) keep(at)
  return database
}

const atEnd = atFileEnd()
let jarvis: TestJarvis
let page: Page
beforeAll(async () => {
  jarvis = await startJarvis({ dashboardDir, env, database: withPast, atEnd })
  page = await signedIn(jarvis.url, tokenFor('operator'), { atEnd }, '/cluster?storage=pve/nvme-fast&range=7d')
})

type Canvas = {
  width: number
  height: number
  getContext(kind: '2d'): { getImageData(x: number, y: number, w: number, h: number): { data: Uint8ClampedArray } }
}
/** How many pixels of a chart are drawn on. */
const drawn = (chart: Locator) =>
  chart.locator('canvas').evaluate((element) => {
    const canvas = element as unknown as Canvas
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    return data.filter((value, at) => at % 4 === 3 && value > 0).length
  })
const detailOf = (page: Page, name: string) => page.getByRole('region', { name: `Detail: ${name}` })

test('a guest opens by its address, its past is drawn, and an action there becomes a card', async () => {
  const storage = detailOf(page, 'storage pve/nvme-fast')
  await storage.getByText(/about \d days at this rate/).waitFor()
  const used = storage.getByRole('figure')
  expect(await used.textContent()).toMatch(/Used.*: 9\d % now, between 8\d % and 9\d % over 7 d/)
  await expect.poll(() => drawn(used)).toBeGreaterThan(1_000)

  // By keys alone: away with it, to a guest, another time.
  await page.keyboard.press('Escape')
  await storage.waitFor({ state: 'detached' })
  await page.waitForURL(/\/cluster\?range=7d$/)
  await page.getByRole('link', { name: /^uptime-kuma/ }).press('Enter')
  const guest = detailOf(page, 'guest 140')
  await guest.getByRole('link', { name: '24 h' }).press('Enter')
  await page.waitForURL(
    ({ searchParams }) => searchParams.get('guest') === '140' && searchParams.get('range') === '24h',
  )
  await guest
    .getByText(/^: .* over 24 h$/)
    .first()
    .waitFor({ state: 'attached' })
  const restart = guest.getByRole('button', { name: 'Restart, Ask, waits for you' })
  await restart.waitFor()
  expect(await guest.getByRole('button', { name: 'Cut the power, Ask, waits for you' }).count()).toBe(1)
  expect(await guest.getByRole('button', { name: /^Start/ }).count()).toBe(0)
  for (const colorScheme of ['dark', 'light'] as const) {
    await wear(page, colorScheme)
    expect(await findingsAtNight(guest), colorScheme).toEqual([])
  }

  // A protected guest says so, and none of its buttons can be pressed.
  await page.getByRole('link', { name: /^jarvis/ }).press('Enter')
  const own = detailOf(page, 'guest 130')
  await own
    .getByText(/protected/i)
    .last()
    .waitFor()
  const stop = own.getByRole('button', { name: 'Stop, Never, is refused' })
  await stop.waitFor()
  expect(await stop.isDisabled()).toBe(true)

  await page.goBack()
  const before = jarvis.guest(140)?.uptimeS
  await restart.press('Enter')
  await page.getByRole('heading', { name: /Restart CT 140/ }).waitFor()
  expect(jarvis.guest(140)?.uptimeS).toBeGreaterThanOrEqual(before ?? 0)
  await page.locator('[data-pending]').focus()
  const approve = page.getByRole('button', { name: /Approve/ }).first()
  await expect.poll(() => approve.getAttribute('aria-disabled')).not.toBe('true')
  await page.keyboard.press('a')
  await page.keyboard.press('Enter')
  await page
    .getByText(/Restarted CT 140/)
    .first()
    .waitFor()

  await page.goto(`${jarvis.url}/cluster?kiosk=1`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
  expect(await page.getByRole('button').count()).toBe(0)
})

test('a viewer on a phone sees the whole page and is told who can act', async () => {
  const size = { viewport: { width: 320, height: 700 }, isMobile: true, hasTouch: true }
  const page = await signedIn(jarvis.url, tokenFor('viewer'), size, '/cluster')
  const isFlat = async () => expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  await page.getByRole('link', { name: 'frigate', exact: true }).tap()
  const guest = detailOf(page, 'guest 123')
  await guest.getByText('An operator can do this.').waitFor()
  expect(await guest.getByRole('button', { name: /Stop|Restart/ }).count()).toBe(0)
  await expect.poll(() => drawn(guest.getByRole('figure').first())).toBeGreaterThan(500)
  await isFlat()
  expect(await findingsAtNight(page)).toEqual([])
  await guest.getByRole('button', { name: 'Close the detail' }).tap()
  await page.getByText('Limits', { exact: true }).tap()
  await page.getByText('An operator can do this.').waitFor()
  await isFlat()
  await page.goto(`${jarvis.url}/cluster?guest=999`)
  await page.getByText('There is no guest 999 now.').waitFor()
})

test('filters, sorts and groups lie in the address; limits are kept; many guests are drawn as far as they are seen', async () => {
  // A cluster of its own: how hot the nodes are depends on how long it runs.
  const jarvis = await startJarvis({ dashboardDir, env })
  const page = await signedIn(jarvis.url, tokenFor('operator'), {}, '/cluster?sort=-cpu')
  const rows = page.locator('table.guests tbody tr')
  await rows.first().getByText('frigate').waitFor()
  await page
    .getByText(/usually|since|limit 80 °C/)
    .first()
    .waitFor()
  // One count: what the filter says is what the list holds.
  const head = page.locator('.panel-head', { hasText: 'Needs attention' }).locator('.num')
  await expect
    .poll(async () => {
      const attention = (await head.textContent()) ?? ''
      const filter = page.getByRole('link', { name: `Attention ${attention}`, exact: true })
      return (await filter.count()) + (await page.getByText(`${attention} things need a look`).count())
    })
    .toBe(2)
  await page.getByRole('link', { name: 'Stopped 2' }).click()
  await expect.poll(() => rows.count()).toBe(2)
  await page.getByRole('link', { name: 'By node' }).click()
  await expect.poll(() => rows.count()).toBe(3)
  await page.getByRole('columnheader', { name: 'Memory' }).getByRole('link').click()
  await expect.poll(() => page.url()).toContain('/cluster?sort=-memory&show=stopped&group=node')

  const limits = async () => (await jarvis.rest('/api/limits')).json()
  await page.getByText('Limits', { exact: true }).click()
  await page.getByLabel('Temperature, needs a look from').fill('42')
  await page.getByRole('button', { name: 'Keep these limits' }).click()
  await expect.poll(limits).toMatchObject({ temperatureC: [42, 90] })
  // Else they look ten seconds after the start.
  await jarvis.rest('/api/checks/run', { method: 'POST' })
  // Three nodes are as hot as that, told as one line; the fourth comes near it.
  await page
    .locator('.issues li', { hasText: ' °C' })
    .getByText(/[23] more like it/)
    .waitFor()

  const more = isNight ? 2_000 : 300
  jarvis.controls.addGuests(more)
  await page.goto(`${jarvis.url}/cluster?sort=-guest`)
  await page.getByRole('link', { name: isNight ? /^All 2,?021$/ : 'All 321' }).waitFor()
  await expect.poll(() => rows.count()).toBeLessThan(100)
  const [top] = await rows.allTextContents()
  await page
    .locator('.split > .scroll')
    .first()
    .evaluate((box) => box.scrollTo(0, box.scrollHeight))
  await page.getByRole('link', { name: /^opnsense/ }).waitFor()
  expect(await rows.count()).toBeLessThan(100)
  expect(await rows.allTextContents()).not.toContain(top)

  // Words, a tag and a node select some of the 2,000; the worst stand first.
  await page.getByRole('searchbox', { name: 'Filter guests' }).fill('worker-12 running')
  await page.waitForURL('**q=worker-12*')
  await page.getByRole('combobox', { name: 'Tag' }).selectOption('worker')
  await page.getByRole('combobox', { name: 'Node' }).selectOption('pve')
  // A quarter of worker-1200 to worker-1299 stands on pve, and most of these run.
  const told = page.getByText(/^\d+ of \d+$/)
  const found = async () => Number((await told.textContent())?.split(' ')[0])
  // The choice of a node narrows the list a moment after it is made.
  await expect.poll(found).toBeLessThan(40)
  expect(await found()).toBeGreaterThan(10)
  await expect.poll(async () => (await rows.count()) - (await found())).toBe(0)
  await page.getByRole('button', { name: 'Show all', exact: true }).click()
  await page.getByRole('link', { name: 'Worst first' }).click()
  await expect.poll(async () => (await rows.allTextContents())[0]).toContain('frigate')
  expect(await rows.count()).toBeLessThan(100)

  jarvis.controls.setNodeOffline('agent', true)
  await page.goto(`${jarvis.url}/cluster?node=agent&range=24h`)
  const node = detailOf(page, 'node agent')
  await node.getByRole('button', { name: 'Wake, Change, runs, is journalled' }).waitFor()
  await page
    .getByText(/last seen/)
    .first()
    .waitFor()
})

test('a node and a storage have a page each, reached from where they are named: facts, charts, what stands on them, alerts', async () => {
  await page.goto(`${jarvis.url}/guest/123`)
  await page.locator('section', { hasText: 'Stands on' }).last().getByRole('link', { name: 'pve', exact: true }).click()
  await page.waitForURL('**/node/pve')
  await page.getByRole('heading', { level: 1, name: 'pve' }).waitFor()
  await page.locator('.chart').first().waitFor()
  await page
    .getByRole('link', { name: /frigate/ })
    .first()
    .waitFor()
  await page.getByRole('link', { name: /Storage nvme-fast is 91 % full/ }).waitFor()
  expect(await findingsAtNight(page)).toEqual([])
  await page.getByRole('link', { name: 'nvme-fast', exact: true }).click()
  await page.waitForURL('**/storage/nvme-fast?node=pve')
  await page.getByText('vm-123-disk-0').waitFor()
  await page.getByText('zfspool').waitFor()
  await page.getByRole('link', { name: '7 d' }).click()
  await page.waitForURL('**/storage/nvme-fast?node=pve&range=7d')
  expect(await findingsAtNight(page)).toEqual([])
  await page.getByRole('link', { name: '123 frigate' }).click()
  await page.waitForURL('**/guest/123')
  await page.goto(`${jarvis.url}/node/gone`)
  await page.getByText('The cluster has no node gone now.').waitFor()
})

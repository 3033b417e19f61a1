import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { findingsInBothThemes } from '../../jarvis-backend/test/support/axe.ts'
import { workbenchScene } from './scenery/scenes/workbench.ts'
import { openStage, type Stage, test } from './support/browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const path = '/chat/ses_workbench'
const scene = () => ({ ...workbenchScene(Date.now()), pictures: { shot: ['image/png', png] as [string, Buffer] } })
const rowOf = (page: Page, name: string) => page.locator('.step', { has: page.locator(`.row:has-text("${name}")`) })
const card = (page: Page) => page.locator('#card-apply')
const shot = async (page: Page, name: string) => {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/workbench-${name}.png` })
}

test('each part of the workbench has its row, in which the words of strangers stay words', async () => {
  const server = await stage.play(scene())
  const strays: string[] = []
  const watch = (page: Page) => {
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url) && !/^(data|blob):/.test(request.url())) strays.push(request.url())
    })
    page.on('pageerror', (error) => strays.push(error.message))
  }
  const page = await stage.open(server, path, { height: 3_200, before: watch })
  await page.locator('.marked img').waitFor()

  const failed = rowOf(page, 'sort.py')
  expect(await failed.innerText()).toContain('… 231 lines …')
  expect(await failed.innerText()).toContain('<b>red</b>')
  expect(await failed.innerText()).toContain('asked for: pypi.org:443')
  expect(await failed.innerText()).toContain('sandbox: full')
  await failed.getByRole('button', { name: 'Show all 242 lines' }).click()
  await failed.getByText('line 120').waitFor()

  const fetched = rowOf(page, 'web_fetch')
  expect(await fetched.innerText()).toContain('2 hidden passages left out (font-size 0)')
  expect(await fetched.innerText()).toContain('![x](https://evil.example/p.png)')
  const found = rowOf(page, 'web_search')
  expect(await found.locator('a').evaluateAll((all) => all.map((a) => a.getAttribute('href')))).toEqual([
    'https://opnsense.example/blog',
    'https://r4.example/',
    'https://r5.example/',
  ])
  expect(await found.locator('a').first().getAttribute('rel')).toBe('noopener noreferrer')

  const pictured = rowOf(page, 'take_screenshot')
  await pictured.getByRole('button', { name: /Update now.*a click here asks/ }).click()
  expect(await pictured.locator('.marked-page b.chosen').textContent()).toBe('5')
  expect(await rowOf(page, 'edit_file').innerText()).toContain('OPNsense 26.7.2')

  const live = rowOf(page, 'count.py')
  await live.getByText('03:12 block wan').waitFor()
  await live.getByText(/^04:1\d$/).waitFor()
  expect(await page.locator('[role=log] :is(script, iframe, object)').count()).toBe(0)
  expect(await findingsInBothThemes(page)).toEqual([])
  await shot(page, 'rows')
  const before = await fetched.innerText()
  await page.reload()
  await page.locator('.marked img').waitFor()
  expect(await fetched.innerText()).toBe(before)
  await live.getByRole('button', { name: 'Stop' }).click()
  await live.getByText('stopped').waitFor()
  expect(await live.getByRole('button', { name: 'Stop' }).count()).toBe(0)
  expect(strays).toEqual([])
})

test('keys lead through the files of a card, a phone shows one at a time, and unseen lines hold it', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, path, { height: 2_400 })
  const approve = card(page).getByRole('button', { name: /^Approve/ })
  await card(page).getByText('37 lines not seen yet').first().waitFor()
  await card(page).focus()
  const current = card(page).locator('li[aria-current=true] code').first()
  for (const [key, file] of [
    ['n', 'caddy/sites.bak'],
    ['n', 'caddy/logo.png'],
    ['n', 'caddy/logo.png'],
    ['p', 'caddy/sites.bak'],
  ] as const) {
    await page.keyboard.press(key)
    expect(await current.textContent()).toBe(file)
  }
  expect(await approve.getAttribute('aria-disabled')).toBe('true')
  await card(page).getByRole('button', { name: 'Show 37 more lines' }).click()
  await card(page).locator('.risk[aria-disabled="false"]').waitFor()
  await shot(page, 'card')

  const small = await stage.open(server, path, { isPhone: true, height: 1_800 })
  const files = card(small).getByRole('list', { name: 'Files that change' }).locator('> li:visible')
  await card(small).getByText('File 1 of 3').waitFor()
  expect(await files.count()).toBe(1)
  await card(small)
    .getByText(/38 lines not seen yet/)
    .first()
    .waitFor()
  await card(small).getByRole('button', { name: 'Next file' }).click()
  await card(small).getByText('File 2 of 3').waitFor()
  expect(await files.innerText()).toContain('caddy/sites.bak')
  await shot(small, 'phone')
})

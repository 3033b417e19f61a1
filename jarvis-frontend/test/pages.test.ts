import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { go } from '../../jarvis-backend/test/support/go.ts'
import { assistant, entriesOf, text, usage, user } from './scenery/entries.ts'
import { morning } from './scenery/scenes/morning.ts'
import { password } from './scenery/scripted-server.ts'
import { openStage, type Stage, test } from './support/browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const scene = () => morning(Date.now())
const main = '/chat/ses_main'

/** Comfortable rows are a third higher. */
async function expectHigher(page: Page, rows: string): Promise<void> {
  const height = () =>
    page
      .locator(rows)
      .first()
      .evaluate((element) => element.getBoundingClientRect().height)
  const density = (value: string) =>
    page.evaluate((to) => {
      document.documentElement.dataset.density = to
    }, value)
  const before = await height()
  await density('comfortable')
  expect((await height()) / before, rows).toBeCloseTo(1.35, 1)
  await density('compact')
}

test('a person signs in at the page that was asked for; the theme and what was typed stay over a reload', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, main, { role: 'nobody', theme: 'light' })
  const field = page.getByRole('textbox', { name: 'Message' })
  const theme = () => page.locator('html').getAttribute('data-theme')
  await page.locator('#password:focus').waitFor()
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await page.getByText('That is not the password.').waitFor()
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'pve hot, backups missing' }).waitFor()
  await expect.poll(() => page.title()).toBe('(3) pve hot, backups missing · JARVIS')

  expect(await theme()).toBe('light')
  await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
  await field.fill('half a thought')
  await page.reload({ waitUntil: 'commit' })
  // Nothing is painted before there is a body, and the body waits for the script that sets it.
  await page.locator('body').waitFor({ state: 'attached' })
  expect(await theme()).toBe('dark')
  expect(await field.inputValue()).toBe('half a thought')
  // Each session has its own.
  await go(page, '/')
  await expect.poll(() => field.inputValue()).toBe('')
})

test('a first message comes from the cluster or a command; its answer streams in, is stopped, and says so', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, '/')
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('/res')
  await page.getByRole('option', { name: /restart_vm.*Ask/ }).waitFor()
  await page.keyboard.press('Enter')
  expect(await field.inputValue()).toBe('/restart_vm vmid=')
  await page.getByText('vmid=integer [node=string] [force=boolean]').waitFor()
  await field.fill('')

  await page.getByRole('button', { name: /pve is at 81 °C. Why\?/ }).click()
  await page.waitForURL(/\/chat\/ses_/)
  expect(server.sent.map(({ message }) => message)).toEqual(['pve is at 81 °C. Why?'])
  await page.locator('.user').getByText('pve is at 81 °C. Why?').waitFor()
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  const [sent] = server.sent
  for (const word of ['**One**', ' two', ' three.']) server.tell(sent?.sessionId ?? '', 'chat:token', { text: word })
  await page.getByText('One two three.').waitFor()
  expect(await page.locator('.prose strong').textContent()).toBe('One')
  await field.fill('And then?')
  await page.getByRole('button', { name: 'Queue' }).click()
  await page.getByText('And then?').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText(/Stopped at/).waitFor()
  await page.getByRole('button', { name: 'Send' }).waitFor()
})

test('scrolled up the view stays, and a pill says what is below, also of what came while the link was down', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, main, { height: 560 })
  const stream = page.getByRole('log')
  await page.getByText('Start VM 141').first().waitFor()
  await stream.hover()
  await page.mouse.wheel(0, -3_000)
  await page.getByRole('button', { name: '2 wait below' }).waitFor()
  // The wheel moves it smoothly, and the pill comes before it rests.
  await expect.poll(() => stream.evaluate((element) => element.scrollTop)).toBe(0)
  for (let at = 0; at < 30; at++) server.tell('ses_main', 'chat:token', { text: 'More words.\n\n' })
  await page.getByText('More words.').last().waitFor({ state: 'attached' })
  expect(await stream.evaluate((element) => element.scrollTop)).toBe(0)
  await page.getByRole('button', { name: '2 wait below' }).click()
  await page.locator('.jump').waitFor({ state: 'detached' })

  // All that came while the link was down is there when it is back, once.
  server.drop()
  server.append('ses_main', { type: 'confirm_resolved', toolUseId: 't9', decision: 'expired', by: 'jarvis' })
  await page.getByText('Did not start VM 141').waitFor()
  server.append('ses_main', { type: 'done', usage, stopReason: 'end_turn' })
  await page.getByText('14.2k in').waitFor()
  expect(await page.getByRole('log').getByText('agent lost power at 02:14').count()).toBe(1)
})

test('a session is opened at the message that was found, however far up, and stays there', async () => {
  const now = Date.now()
  const talk = (run: number) => [
    { ...user(`Question ${run}`), runId: `run_${run}` },
    { ...assistant(text(`Answer ${run}. ${'Many words. '.repeat(run % 7)}`)), runId: `run_${run}` },
    { type: 'done' as const, usage, stopReason: 'end_turn' as const, runId: `run_${run}` },
  ]
  const all = entriesOf(Array.from({ length: 300 }, (_, run) => talk(run)).flat(), now)
  const session = { id: 'ses_long', title: 'Long', updatedAt: now, earlier: all.slice(0, 870), entries: all.slice(870) }
  const server = await stage.play({ ...scene(), sessions: [session] })
  const page = await stage.open(server, '/chat/ses_long?at=31')
  const found = page.locator('.say[data-found]')
  await found.getByText('Answer 10.').waitFor()
  const isSeen = () =>
    found.evaluate((message) => {
      const [box, view] = [message, message.closest('.stream') ?? message].map((part) => part.getBoundingClientRect())
      return box !== undefined && view !== undefined && box.top >= view.top && box.bottom <= view.bottom
    })
  await expect.poll(isSeen).toBe(true)
  expect(await found.and(page.locator(':focus')).count()).toBe(1)
  await page.getByText('To the end').waitFor()
  server.tell('ses_long', 'chat:token', { text: 'News at the end.' })
  await page.getByText('New text below').waitFor()
  expect(await isSeen()).toBe(true)
})

test('what can be done with an answer never lies over its words and moves nothing; keys go everywhere', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, main)
  const answer = page.locator('.say').first()
  await answer.getByRole('button', { name: 'Branch here' }).waitFor({ state: 'attached' })
  await page.getByText('Restart VM 123').first().waitFor()
  const look = () =>
    answer.evaluate((element) => {
      const acts = element.querySelector('.message-acts')?.getBoundingClientRect()
      const range = document.createRange()
      range.selectNodeContents(element.querySelector('.prose') ?? element)
      const words = [...range.getClientRects()].map(({ left, top, right, bottom }) => ({ left, top, right, bottom }))
      const covered = words.filter(
        (box) =>
          acts !== undefined &&
          box.right > acts.left + 1 &&
          box.left < acts.right - 1 &&
          box.bottom > acts.top + 1 &&
          box.top < acts.bottom - 1 &&
          // A block's own box is as wide as the page; its lines are not.
          box.bottom - box.top < 30,
      )
      return { words, covered: covered.length, width: acts?.width ?? 0 }
    })
  const before = await look()
  await answer.hover()
  await page.locator('.say:hover .message-acts').waitFor()
  const after = await look()
  expect(after.width).toBeGreaterThan(50)
  expect(after).toEqual({ ...before, covered: 0 })

  // Keys go to the panel, between pages, and to the composer.
  const field = page.getByRole('textbox', { name: 'Message' })
  const panel = page.getByRole('complementary', { name: 'Cluster' })
  await panel.waitFor()
  await expectHigher(page, '.side .guest, .side .node')
  await page.keyboard.press(']')
  await panel.waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.waitForURL('**/cluster')
  await expectHigher(page, '.guest-row')
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await page.waitForURL('**/waiting')
  // Here they are named, while they do something.
  await page.getByText('approve', { exact: false }).first().waitFor()
  const named = page.locator('.keys')
  expect(await named.textContent()).toMatch(/move.*approve.*deny/)
  await page.keyboard.press('Alt+n')
  await page.locator('#composer:focus').waitFor()
  await page.keyboard.type('gl')
  expect(await field.inputValue()).toBe('gl')
  await page.getByRole('heading', { level: 1 }).click()
  await field.blur()
  await page.keyboard.press('/')
  await page.keyboard.type('w')
  expect(await field.inputValue()).toBe('glw')
})

test('keys are named where they do something for this person', async () => {
  const server = await stage.play(scene())
  const viewer = await stage.open(server, '/waiting', { role: 'viewer' })
  const named = viewer.locator('.keys')
  await named.getByText('move').waitFor()
  expect(await named.textContent()).not.toMatch(/approve|deny/)
  for (const { id, entries } of scene().sessions)
    for (const entry of entries)
      if (entry.type === 'confirm_needed')
        server.append(id, { type: 'confirm_resolved', toolUseId: entry.toolUseId, decision: 'denied', by: 'operator' })
  await named.waitFor({ state: 'detached' })
  await viewer.getByText('Nothing waits for you.').waitFor()
})

test('the phone scrolls sideways nowhere', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, '/', { isPhone: true })
  for (const path of ['/', main, '/cluster', '/waiting']) {
    if (path !== '/') await go(page, path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(320)
    await page.setViewportSize({ width: 390, height: 844 })
    if (path === '/cluster') await expectHigher(page, '.column .guest')
  }
})

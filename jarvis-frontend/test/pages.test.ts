import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { go } from '../../jarvis-backend/test/support/go.ts'
import { assistant, entriesOf, text, usage, user } from '../src/testing/entries.ts'
import { quietLab } from '../src/testing/lab.ts'
import { morning } from '../src/testing/scenes/morning.ts'
import { password } from '../src/testing/scripted-server.ts'
import { openStage, type Stage, test } from './support/browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const scene = () => morning(Date.now())
const main = '/chat/ses_main'

test('the theme is set before the first paint and kept by choice', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, main, { theme: 'light' })
  expect(await page.locator('html').getAttribute('data-theme')).toBe('light')
  await page.getByRole('button', { name: 'Switch to the dark theme' }).click()
  await page.reload({ waitUntil: 'commit' })
  // Nothing is painted before there is a body, and the body waits for the script that sets it.
  await page.locator('body').waitFor({ state: 'attached' })
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
})

test('a wrong password is said, the right one opens the page that was asked for', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, main, { role: 'nobody' })
  await page.locator('#password:focus').waitFor()
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await page.getByText('That is not the password.').waitFor()
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'pve hot, backups missing' }).waitFor()
  await expect.poll(() => page.title()).toBe('(3) JARVIS')
})

test('unsent text survives a reload, for each session apart', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, main)
  await page.getByRole('textbox', { name: 'Message' }).fill('half a thought')
  await page.goto(`${server.url}/`)
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('')
  await page.goto(server.url + main)
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('half a thought')
})

test('a first prompt comes from the cluster, and asks in a new session', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, '/')
  await page.getByRole('button', { name: /pve is at 81 °C. Why\?/ }).click()
  await page.waitForURL(/\/chat\/ses_/)
  expect(server.sent.map(({ message }) => message)).toEqual(['pve is at 81 °C. Why?'])
  await page.locator('.user').getByText('pve is at 81 °C. Why?').waitFor()
})

test('an answer streams in, is stopped, and says so', async () => {
  const quiet = { ...scene(), cluster: quietLab(Date.now()), sessions: [] }
  const server = await stage.play(quiet)
  const page = await stage.open(server, '/')
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  for (const word of ['**One**', ' two', ' three.']) server.tell('ses_0', 'chat:token', { text: word })
  await page.getByText('One two three.').waitFor()
  expect(await page.locator('.prose strong').textContent()).toBe('One')
  await page.getByRole('textbox', { name: 'Message' }).fill('And then?')
  await page.getByRole('button', { name: 'Queue' }).click()
  await page.getByText('And then?').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText(/Stopped at/).waitFor()
  await page.getByRole('button', { name: 'Send' }).waitFor()
})

test('what came while the link was down is there when it is back', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, main)
  await page.getByText('Restart VM 123').first().waitFor()
  server.drop()
  server.append('ses_main', { type: 'confirm_resolved', toolUseId: 't9', decision: 'expired', by: 'jarvis' })
  await page.getByText('Did not start VM 141').waitFor()
  server.append('ses_main', { type: 'done', usage, stopReason: 'end_turn' })
  await page.getByText('14.2k in').waitFor()
  expect(await page.getByRole('log').getByText('agent lost power at 02:14').count()).toBe(1)
})

test('scrolled up the view stays, and a pill says what is below', async () => {
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
})

test('earlier entries come above without a jump', async () => {
  const now = Date.now()
  const long = (run: number) => [
    { ...user(`Question ${run}`), runId: `run_${run}` },
    { ...assistant(text('Many words. '.repeat(900))), runId: `run_${run}` },
    { type: 'done' as const, usage, stopReason: 'end_turn' as const, runId: `run_${run}` },
  ]
  const all = entriesOf([...long(1), ...long(2)], now)
  const session = { id: 'ses_long', title: 'Long', updatedAt: now, earlier: all.slice(0, 3), entries: all.slice(3) }
  const server = await stage.play({ ...scene(), sessions: [session] })
  const page = await stage.open(server, '/chat/ses_long', { height: 500 })
  await page.getByRole('button', { name: 'Show earlier entries' }).waitFor()
  const answer = page.locator('.say').last()
  // Near the top they are read without being asked for.
  const before = await page.getByRole('log').evaluate((stream) => {
    stream.scrollTop = 200
    return stream.querySelector('.say')?.getBoundingClientRect().top ?? 0
  })
  await page.getByText('Question 1').waitFor({ state: 'attached' })
  expect(Math.abs(((await answer.boundingBox())?.y ?? 0) - before)).toBeLessThan(2)
  expect(await page.getByRole('button', { name: 'Show earlier entries' }).count()).toBe(0)
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

test('what can be done with an answer never lies over its words, and moves nothing', async () => {
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
})

test('comfortable rows are a third higher, in the table, in the panel and on a phone', async () => {
  const server = await stage.play(scene())
  const height = (part: Locator) => part.first().evaluate((element) => element.getBoundingClientRect().height)
  for (const [path, rows, isPhone] of [
    ['/cluster', '.guest-row', false],
    [main, '.side .guest, .side .node', false],
    ['/cluster', '.column .guest', true],
  ] as const) {
    const page = await stage.open(server, path, { isPhone })
    const row = page.locator(rows)
    await row.first().waitFor()
    const before = await height(row)
    await page.evaluate(() => {
      document.documentElement.dataset.density = 'comfortable'
    })
    expect((await height(row)) / before, `${path} ${rows}`).toBeCloseTo(1.35, 1)
    await page.context().close()
  }
})

test('keys are named where they do something for this person', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, '/waiting')
  await page.getByText('approve', { exact: false }).first().waitFor()
  expect(await page.locator('.keys').textContent()).toMatch(/move.*approve.*deny/)
  const viewer = await stage.open(server, '/waiting', { role: 'viewer' })
  await viewer.locator('.keys').getByText('move').waitFor()
  expect(await viewer.locator('.keys').textContent()).not.toMatch(/approve|deny/)
  const quiet = await stage.play({ ...scene(), cluster: quietLab(Date.now()), sessions: [], decided: [] })
  const idle = await stage.open(quiet, '/waiting')
  await idle.getByText('Nothing waits for you.').waitFor()
  expect(await idle.locator('.keys').count()).toBe(0)
})

test('keys go between pages, to the composer and to the panel', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, main)
  await page.getByRole('complementary', { name: 'Cluster' }).waitFor()
  await page.keyboard.press(']')
  await page.getByRole('complementary', { name: 'Cluster' }).waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.waitForURL('**/cluster')
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await page.waitForURL('**/waiting')
  await page.keyboard.press('Alt+n')
  await page.locator('#composer:focus').waitFor()
  await page.keyboard.type('gl')
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('gl')
  await page.getByRole('heading', { level: 1 }).click()
  await page.getByRole('textbox', { name: 'Message' }).blur()
  await page.keyboard.press('/')
  await page.keyboard.type('w')
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('glw')
})

test('a command is completed with its tier and its arguments', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, '/')
  await page.getByRole('textbox', { name: 'Message' }).fill('/res')
  await page.getByRole('option', { name: /restart_vm.*Ask/ }).waitFor()
  await page.keyboard.press('Enter')
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('/restart_vm vmid=')
  await page.getByText('vmid=integer [node=string] [force=boolean]').waitFor()
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
  }
})

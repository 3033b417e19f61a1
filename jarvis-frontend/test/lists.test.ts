import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Scene } from './scenery/scene.ts'
import { morning } from './scenery/scenes/morning.ts'
import { password } from './scenery/scripted-server.ts'
import { openStage, type Stage, test } from './support/browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

function named(title: string): Scene {
  const now = Date.now()
  return { ...morning(now), sessions: [{ id: 'ses_one', title, updatedAt: now, entries: [] }] }
}
const listed = (page: Page, title: string) => page.locator('nav').getByRole('link', { name: title })

test('lists stand there before the link does, and once it does only those are read again that changed meanwhile', async () => {
  const scene = named('Before the link')
  const server = await stage.play(scene)
  server.behaviour.takesSockets = false
  const reads: string[] = []
  const before = (page: Page) =>
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/')) reads.push(pathname)
    })
  const page = await stage.open(server, '/', { before })
  await listed(page, 'Before the link').waitFor()
  await page.getByText('connecting', { exact: false }).first().waitFor()
  const [session] = scene.sessions
  if (session !== undefined) session.title = 'Changed meanwhile'
  const lists = [
    '/api/sessions',
    '/api/confirmations',
    '/api/questions',
    '/api/changes',
    '/api/alerts',
    '/api/status',
    '/api/tools',
  ]
  const read = () => Object.fromEntries(lists.map((path) => [path, reads.filter((other) => other === path).length]))
  const once = Object.fromEntries(lists.map((path) => [path, 1]))
  await expect.poll(read).toEqual(once)
  server.behaviour.ages = { upMs: 3_600_000, lists: { sessions: 0, alerts: 3_500_000 } }
  server.behaviour.takesSockets = true
  await page.evaluate("dispatchEvent(new Event('online'))")
  await listed(page, 'Changed meanwhile').waitFor()
  expect(read()).toEqual({ ...once, '/api/sessions': 2 })

  // After a break of the link nothing is known of what was missed, so all of it is read again.
  server.behaviour.ages = { upMs: 3_600_000, lists: {} }
  server.drop()
  await expect.poll(read).toEqual({ ...Object.fromEntries(lists.map((path) => [path, 2])), '/api/sessions': 3 })
})

test('the next person at this browser sees nothing of what the last one read, however slow the server is', async () => {
  const server = await stage.play(named('Theirs'))
  const page = await stage.open(server, '/sessions', { role: 'viewer' })
  const rows = page.locator('.session-results')
  await rows.getByText('Theirs').waitFor()
  await listed(page, 'Theirs').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.locator('#password').waitFor()
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(/\/api\/sessions/, async (route) => {
    await isAnswered
    await route.continue()
  })
  await page.locator('#password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByText('· live').waitFor()
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor()
  expect(await page.getByText('Theirs').count()).toBe(0)
  answer()
  await rows.getByText('Theirs').waitFor()
})

test('a page that was left shows its last answer at once when it is opened again', async () => {
  const server = await stage.play(named('Read before'))
  const page = await stage.open(server, '/sessions')
  const rows = page.locator('.session-results')
  await rows.getByText('Read before').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.getByRole('heading', { name: 'Cluster', level: 1 }).waitFor()
  let isAsked = false
  await page.route(/\/api\/sessions/, () => {
    isAsked = true
  })
  await page.goBack()
  await rows.getByText('Read before').waitFor()
  await expect.poll(() => isAsked).toBe(true)
})

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { every } from '../../jarvis-backend/test/support/real-time.ts'
import { assistant, entriesOf, text, usage, user } from './scenery/entries.ts'
import type { Scene } from './scenery/scene.ts'
import { morning } from './scenery/scenes/morning.ts'
import { password, type Scripted } from './scenery/scripted-server.ts'
import { openStage, type Stage, test } from './support/browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const id = 'ses_words'
const path = `/chat/${id}`
/** One session, in whose run nothing was said yet. */
function words(): Scene {
  const now = Date.now()
  const session = { id, title: 'Words', updatedAt: now, runId: 'run_1', entries: entriesOf([user('Count.')], now) }
  return { ...morning(now), sessions: [session] }
}
const field = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const lost = (page: Page) => page.getByText(/Connection lost \d+ s ago\./)
/** Nobody waits for what a page does by time: its clock goes on by itself, and is put forward. It stays with the page for the tests after this one. */
const clocked = new WeakSet<Page>()
const before = async (page: Page) => {
  if (clocked.has(page)) return
  clocked.add(page)
  await page.clock.install()
}
/** The network says that it is back, so that nobody waits up to 5 s for the next try. */
const wake = (page: Page) => page.evaluate("dispatchEvent(new Event('online'))")
/** The server goes, and the page says so, which it does after a second. */
async function leave(page: Page, server: Scripted) {
  await server.close()
  await page.getByText('offline').waitFor()
  await page.clock.fastForward(2_000)
  await lost(page).waitFor()
}

test('a link that drops twice in a burst of tokens leaves no gap and no double', async () => {
  const server = await stage.play(words())
  const page = await stage.open(server, path)
  await page.getByText('Count.').waitFor()
  let said = 0
  const say = () => server.tell(id, 'chat:token', { text: `${said++} ` })
  for (let drops = 1; drops <= 2; drops++) {
    for (let at = 0; at < 60; at++) say()
    await page.getByText(new RegExp(`\\b${said - 1}\\b`)).waitFor()
    for (let at = 0; at < 20; at++) say()
    server.drop()
    // The burst goes on while nobody listens, while the page attaches, and after it.
    let after = 0
    await new Promise<void>((over) => {
      const stop = every(5, () => {
        say()
        if (server.attached.length > drops) after++
        if (after <= 100) return
        stop()
        over()
      })
    })
  }
  const whole = [...Array(said).keys()].join(' ')
  await page.getByText(new RegExp(`\\b${said - 1}\\b`)).waitFor()
  expect((await page.locator('.say').textContent())?.trim()).toBe(whole)
  server.append(id, assistant(text(whole)))
  server.append(id, { type: 'done', usage, stopReason: 'end_turn' })
  await page.getByText('14.2k in').waitFor()
  expect((await page.locator('.say').allTextContents()).map((said) => said.trim())).toEqual([whole])
})

test('offline and back: the time is said, what was typed stays, what was sent arrives once, a revoked token signs in anew', async () => {
  const scene = words()
  let server = await stage.play(scene)
  server.behaviour.takesSockets = false
  const page = await stage.open(server, path, { before })
  const strip = page.locator('.strip.lost')
  const away = () => leave(page, server)

  // Not reached yet.
  await page.getByText('connecting', { exact: false }).first().waitFor()
  await page.clock.fastForward(2_000)
  await page.getByText(/JARVIS is not reached yet, after \d+ s\./).waitFor()
  // While it is still refused: a try of the page's own could take the strip away from under the pointer.
  await page.getByRole('button', { name: 'Try now' }).click()
  server.behaviour.takesSockets = true
  await wake(page)
  await page.getByText('Count.').waitFor()
  await strip.waitFor({ state: 'detached' })

  // Lost; the page comes back by itself.
  await field(page).fill('half a thought')
  await away()
  await page.getByText('offline').waitFor()
  await field(page).fill('half a thought, and more')
  server = await stage.play(scene, server.port)
  await page.clock.fastForward(5_000)
  await strip.waitFor({ state: 'detached' })
  server.tell(id, 'chat:token', { text: 'Back again.' })
  await page.getByText('Back again.').waitFor()
  expect(await field(page).inputValue()).toBe('half a thought, and more')
  await page.reload()
  expect(await field(page).inputValue()).toBe('half a thought, and more')

  // Without a link nothing is sent, and the text stays.
  await page.getByText('live').waitFor()
  await away()
  await page.getByText('offline').waitFor()
  await field(page).fill('Say this once.')
  await page.keyboard.press('Enter')
  expect(await page.locator('.user').getByText('Say this once.').count()).toBe(0)
  expect(await field(page).inputValue()).toBe('Say this once.')

  // Sent, and reloaded before it arrived.
  server = await stage.play(scene, server.port)
  server.behaviour.answersSends = false
  await wake(page)
  await strip.waitFor({ state: 'detached' })
  await field(page).press('Enter')
  await page.locator('.user').getByText('Say this once.').waitFor()
  await page.reload()
  server.behaviour.answersSends = true
  await page.getByText('The page was reloaded before it arrived.').waitFor()
  await page.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('The page was reloaded').waitFor({ state: 'detached' })
  expect(server.sent.map(({ message }) => message)).toEqual(['Say this once.'])

  // A token that was revoked meanwhile.
  await field(page).fill('half a thought')
  const { tokens } = server
  await away()
  await field(page).fill('half a thought, and more')
  server = await stage.play(scene, server.port)
  server.revoke(...tokens)
  await wake(page)
  await page.locator('#password:focus').waitFor()
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.getByText('Count.').waitFor()
  expect(await field(page).inputValue()).toBe('half a thought, and more')
  expect(await strip.count()).toBe(0)
})

test('a message of a new chat that nobody took is typed again after a reload', async () => {
  const scene = words()
  const server = await stage.play(scene)
  server.behaviour.answersSends = false
  const page = await stage.open(server, '/', { before })
  await page.getByText('live').waitFor()
  await field(page).fill('Say this once.')
  await page.keyboard.press('Enter')
  await page.locator('.user').getByText('Say this once.').waitFor()
  await page.reload()
  expect(await field(page).inputValue()).toBe('Say this once.')
})

test('a link lost while the page still loads leaves no blank page: the rest comes once it is back', async () => {
  const scene = words()
  const server = await stage.play(scene)
  const page = await stage.open(server, '/waiting', { role: 'nobody', own: {}, before })
  await page.locator('#password').waitFor()
  // While the link is live, a part that fails three times is given up.
  let isGone = () => {}
  const gone = new Promise<void>((resolve) => {
    isGone = resolve
  })
  await page.route(/\/assets\/(side|waiting-page|cluster-page)/, async (route) => {
    await gone
    await route.abort()
  })
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.getByText('· live').waitFor()
  await server.close()
  await page.getByText('offline').waitFor()
  isGone()
  await page.getByRole('link', { name: 'Chat' }).click()
  await page.clock.fastForward(2_000)
  await lost(page).waitFor()
  await page.unrouteAll()
  await stage.play(scene, server.port)
  await wake(page)
  await page.getByRole('complementary', { name: 'Cluster' }).getByText('NODES AND GUESTS').waitFor()
  await page.getByRole('link', { name: 'Waiting' }).click()
  await page.getByRole('heading', { name: 'Waiting for you' }).waitFor()
})

test('pages that were never opened open without a link', async () => {
  const server = await stage.play(words())
  const page = await stage.open(server, path, { own: { fetchesAhead: true } })
  await page.waitForFunction(() => {
    const names = performance.getEntriesByType('resource').map(({ name }) => name)
    // And what they share with others, which is fetched beside them.
    const shared = [...document.querySelectorAll<HTMLLinkElement>('link[rel=modulepreload]')].map(({ href }) => href)
    return (
      ['waiting-page', 'cluster-page', 'sign-in'].every((part) => names.some((name) => name.includes(`${part}-`))) &&
      shared.every((href) => names.includes(href))
    )
  })
  // The parts of those parts.
  await page.waitForLoadState('networkidle')
  // Not earlier: this clock's `performance` has no entries.
  await before(page)
  await leave(page, server)
  await page.getByRole('link', { name: 'Waiting' }).click()
  await page.getByRole('heading', { name: 'Waiting for you' }).waitFor()
})

test('a part that is gone is said in its place, the rest stays', async () => {
  const server = await stage.play(words())
  const page = await stage.open(server, '/', { role: 'nobody', before })
  await page.locator('#password').waitFor()
  await page.route(/\/assets\/waiting-page/, (route) => route.fulfill({ status: 404 }))
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Waiting' }).click()
  // It is tried three times while the link is live, 2 s after each other.
  const said = page.getByText('This part could not be shown. What you typed is kept.')
  await expect
    .poll(async () => {
      await page.clock.fastForward(2_000)
      return said.count()
    })
    .toBe(1)
  await page.getByRole('link', { name: 'Chat' }).click()
  await field(page).waitFor()
})

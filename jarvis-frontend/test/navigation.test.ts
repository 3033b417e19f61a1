import { afterAll, beforeAll, expect } from 'vitest'
import { go } from '../../jarvis-backend/test/support/go.ts'
import { rowsOf } from '../../scripts/property-runs.ts'
import { morning } from './scenery/scenes/morning.ts'
import { openStage, type Stage, test } from './support/browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const play = () => stage.play(morning(Date.now()))
const session = 'pve hot, backups missing'

test('every way to write an address leads to its page, and an unknown one to links that lead on', async () => {
  const server = await play()
  const page = await stage.open(server, '/more')
  const ways = [
    ['/CLUSTER/', '/CLUSTER/', /Cluster/],
    ['/chat/ses_main/', '/chat/ses_main/', session],
    ['/%63hat/ses%5Fmain', '/%63hat/ses%5Fmain', session],
    ['/status', '/system', 'System'],
    ['/agents', '/agents', 'Agents'],
    ['/Tools?tool=stop_vm#here', '/agents/tools?tool=stop_vm#here', 'Agents'],
    ['/terminal?node=pve', '/system/terminal?node=pve', 'System'],
    ['/chat', '/', 'New chat'],
    ['/chat/ses_main/more', '/chat/ses_main/more', 'No such page'],
    ['/guest/pve', '/guest/pve', 'No such page'],
    ['/nowhere?q=1#there', '/nowhere?q=1#there', 'No such page'],
    ['/%zz', '/%zz', 'No such page'],
  ] as const
  for (const [address, place, heading] of rowsOf(ways, 6)) {
    await go(page, address)
    await page.waitForURL(server.url + place)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  }
  await page.getByText('There is no page at /%zz').waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Journal' }).click()
  await page.getByRole('heading', { level: 1, name: 'Journal' }).waitFor()
  // A redirect leaves no place behind to come back to.
  await page.goto(`${server.url}/tools`)
  await page.goto(`${server.url}/chat`)
  await page.waitForURL(`${server.url}/`)
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/agents/tools')
})

test('the window names the page and what waits, and the page of one thing leads back to its list', async () => {
  const page = await stage.open(await play(), '/chat/ses_main')
  const titled = (name: string) => expect.poll(() => page.title()).toMatch(new RegExp(`^\\(\\d+\\) ${name} · JARVIS$`))
  for (const [path, title, list] of [
    ['/chat/ses_main', session, '/sessions'],
    ['/guest/123', '123 frigate', '/cluster'],
    ['/automations/runbooks/hot-node', 'hot-node', '/automations/runbooks'],
    ['/agents/skills/disk-health', 'disk-health', '/agents/skills'],
  ] as const) {
    await go(page, path)
    await titled(title)
    await page.getByRole('link', { name: 'Back to' }).click()
    await page.waitForURL(`**${list}`)
    await page.getByRole('link', { name: 'Back to' }).waitFor({ state: 'detached' })
  }
  await titled('Skills')
})

test('a link goes where the click says, and to the same place only once', async () => {
  const page = await stage.open(await play(), '/chat/ses_main')
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Cluster' })
  const here = page.getByRole('navigation', { name: 'Sessions' }).getByRole('link', { name: session })
  expect(await here.getAttribute('aria-current')).toBe('page')
  expect(await link.getAttribute('href')).toBe('/cluster')
  // Records whether the page leaves the click to the browser. The test then prevents it: some versions crash in a page opened that way.
  await page.evaluate(`for (const kind of ['click', 'auxclick'])
    addEventListener(kind, (event) => {
      if (window.left === undefined) return
      window.left.push(!event.defaultPrevented)
      event.preventDefault()
    })
  window.left = []`)
  await link.click({ modifiers: ['Control'] })
  await link.click({ modifiers: ['Shift'] })
  await link.click({ button: 'middle' })
  expect(await page.evaluate('window.left')).toEqual([true, true, true])
  expect(new URL(page.url()).pathname).toBe('/chat/ses_main')
  await page.evaluate('window.left = undefined')
  const places = () => page.evaluate('history.length') as Promise<number>
  const before = await places()
  for (let press = 0; press < 2; press++) {
    await link.click()
    await page.getByRole('heading', { level: 1, name: 'Cluster' }).waitFor()
  }
  expect(await places()).toBe(before + 1)
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: session }).waitFor()
  expect(await here.getAttribute('aria-current')).toBe('page')
  await page.goForward()
  await page.getByRole('heading', { level: 1, name: 'Cluster' }).waitFor()
  expect(await here.getAttribute('aria-current')).toBe(null)
})

test('back leads to where a page was scrolled, and a new visit to its beginning', async () => {
  const page = await stage.open(await play(), '/settings/persona')
  const topPx = () => page.evaluate(() => document.querySelector('.settings-body')?.scrollTop)
  await page.setViewportSize({ width: 1_440, height: 400 })
  await page.locator('.settings-body textarea').waitFor()
  await page.evaluate(() => {
    const settings = document.querySelector('.settings-body') as HTMLElement
    settings.scrollTop = 80
  })
  await expect.poll(topPx).toBe(80)
  const to = (name: string) => page.locator('.rail').getByRole('link', { name }).click()
  await to('Journal')
  await page.getByRole('heading', { level: 1, name: 'Journal' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  await expect.poll(topPx).toBe(80)
  await to('Journal')
  await page.getByRole('heading', { level: 1, name: 'Journal' }).waitFor()
  await to('Settings')
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  expect(await topPx()).toBe(0)
})

test('what an address says is read exactly, also where it is changed, left and returned to', async () => {
  const server = await play()
  const page = await stage.open(server, '/memory?q=%2541+b%2526&x=1')
  const field = page.getByRole('searchbox', { name: 'Search the memory' })
  await field.waitFor()
  expect(await field.inputValue()).toBe('%41 b%26')
  const places = await page.evaluate('history.length')
  await field.fill('100 %25+1')
  await page.waitForURL('**/agents/memory?q=100+%2525%2B1')
  expect(await page.evaluate('history.length')).toBe(places)
  await page.keyboard.press('Alt+n')
  await page.locator('#composer:focus').waitFor()
  // The place is remembered as one in which to write.
  await page.reload()
  await page.locator('#composer:focus').waitFor()
  await page.goBack()
  await field.waitFor()
  expect(await field.inputValue()).toBe('100 %25+1')
  await field.fill('')
  await page.waitForURL(`${server.url}/agents/memory`)
})

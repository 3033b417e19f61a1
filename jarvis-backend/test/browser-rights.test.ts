import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { findingsAtNight } from './support/axe.ts'
import { atFileEnd, dashboardDir, givePassword, go, test, useBrowser } from './support/browser.ts'
import { household, householdPolicy, membersRole, type Standing, standings, tokenOf } from './support/persons.ts'
import type { TestJarvis } from './support/start-jarvis.ts'

const { person } = useBrowser()
const atEnd = atFileEnd()

const two = '{name: two, tools: [stop_vm], tier: red, because: Two people., approve: {count: 2}}'
let jarvis: TestJarvis
beforeAll(async () => {
  const policy = `${householdPolicy}\nrules: [${two}]\nbreakGlass: true\n`
  const env = { JARVIS_TERMINAL: '1', JARVIS_EMBEDDINGS: 'none' }
  jarvis = (await household({ dashboardDir, policy, env, atEnd })).jarvis
})

/** Somebody who signed in before, in a browser of their own, at the first page. */
async function enter(standing: Standing): Promise<Page> {
  const kept = {
    token: tokenOf(`per_${standing}`),
    name: `the-${standing}`,
    role: standing === 'member' ? membersRole : standing,
  }
  const localStorage = Object.entries(kept).map(([name, value]) => ({ name: `jarvis.${name}`, value }))
  const page = await person(jarvis, {
    storageState: { cookies: [], origins: [{ origin: jarvis.url, localStorage }] },
    atEnd,
  })
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await page.locator('#main > *').first().waitFor()
  return page
}

const pages = new Map<Standing, Promise<Page>>()
/** The page of this person that all tests share. */
function at(standing: Standing): Promise<Page> {
  const page = pages.get(standing) ?? enter(standing)
  pages.set(standing, page)
  return page
}

/** The least that each act is offered to, by page: those below are not. */
const offered: Readonly<Record<string, Readonly<Record<string, Standing>>>> = {
  '/': { Attach: 'member' },
  '/agents': { 'New agent': 'owner', 'Talk to it': 'operator', Edit: 'owner' },
  '/automations': { 'New job': 'operator', 'Run now…': 'operator' },
  '/memory': { Write: 'operator' },
  '/terminal': { 'Open a shell on Home': 'owner' },
  '/settings/tokens': { 'Make a token': 'member' },
  '/settings/mcp-servers': { 'Attach the server': 'owner' },
}
/** A member has no page that shows the whole cluster. */
const wholePages = ['Alerts', 'Automations', 'Journal']

test('each person is offered what they may do, those one step below are not, and each has the pages that they may see', async () => {
  for (const [step, standing] of standings.entries()) {
    const page = await at(standing)
    const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents()
    const whole = wholePages.filter((name) => links.some((link) => link.startsWith(name)))
    expect([standing, whole]).toEqual([standing, standing === 'member' ? [] : wholePages])
    for (const [path, acts] of Object.entries(offered)) {
      // Nobody is just below an operator there: a member has no such page.
      const below = standing === 'viewer' && path === '/automations' ? 'operator' : standings[step + 1]
      const judged = Object.entries(acts).filter(([, least]) => least === standing || least === below)
      if (judged.length === 0 || (standing === 'member' && path === '/automations')) continue
      if (path !== '/') await go(page, path)
      const main = page.locator('#main')
      for (const [name, least] of judged) {
        const act = main.getByRole('button', { name, exact: true }).or(main.getByRole('link', { name, exact: true }))
        if (least === standing) await act.first().waitFor()
        else {
          // Whatever else the page shows is there.
          await page.waitForLoadState('networkidle')
          expect([standing, path, name, await act.count()]).toEqual([standing, path, name, 0])
        }
      }
    }
  }
})

test('an owner breaks the glass with a typed reason and the password, and everybody sees it for a day', async () => {
  const before = jarvis.controls.effects.length
  const asker = await jarvis.connect('/chat', 'operator', tokenOf('per_operator'))
  await asker.ask('chat:send', { message: '/stop_vm vmid=103' })
  await asker.next('chat:confirm_needed')
  const operator = await at('operator')
  await go(operator, '/waiting')
  await operator.getByText('0 of 2 approved').first().waitFor()
  expect(await operator.getByRole('button', { name: 'Break the glass…' }).count()).toBe(0)

  const owner = await at('owner')
  await go(owner, '/waiting')
  await owner.getByRole('button', { name: 'Break the glass…' }).click()
  const form = owner.getByRole('form', { name: 'Break the glass' })
  const approve = form.getByRole('button', { name: 'Approve alone' })
  expect(await approve.getAttribute('aria-disabled')).toBe('true')
  await form.getByRole('textbox').fill('The house is on fire and everybody else sleeps.')
  expect(await findingsAtNight(form)).toEqual([])
  await approve.click()
  await givePassword(owner)
  await asker.next('chat:done')
  expect(jarvis.controls.effects).toHaveLength(before + 1)

  const viewer = await at('viewer')
  const kid = await at('member')
  for (const page of [owner, operator, viewer, kid]) {
    const banner = page.getByRole('region', { name: 'The glass was broken' })
    await banner.getByText('The house is on fire and everybody else sleeps.').waitFor()
    expect(await banner.textContent()).toContain('the-owner')
    if (page === kid) expect(await findingsAtNight(banner)).toEqual([])
  }
})

test('a member shares a conversation, makes a token and has the devices that are told, all of it on own pages', async () => {
  const kid = await at('member')
  await go(kid, '/')
  const guest = await at('viewer')
  await kid.getByRole('textbox', { name: 'Message' }).fill('/restart_container vmid=130')
  await kid.keyboard.press('Enter')
  await kid.waitForURL(/\/chat\/ses_/)
  const { pathname } = new URL(kid.url())
  await kid.getByRole('button', { name: 'Share', exact: true }).click()
  const dialog = kid.getByRole('dialog', { name: 'Who sees this conversation' })
  await dialog.getByLabel('Person').selectOption({ label: 'the-viewer, viewer' })
  await dialog.getByLabel('May').selectOption('talk')
  await dialog.getByRole('button', { name: 'Share' }).click()
  await dialog.getByText('the-viewer may only look, by role.').waitFor()
  await dialog.getByLabel('May').selectOption('look')
  await dialog.getByRole('button', { name: 'Share' }).click()
  await dialog.getByText('reads, shared by the-member').waitFor()
  expect(await findingsAtNight(dialog)).toEqual([])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await kid.getByRole('button', { name: 'Shared with the-viewer' }).waitFor()

  // As of a conversation that is not among the newest 100.
  await guest.route('**/api/sessions?limit=100', (route) => route.fulfill({ json: { items: [] } }))
  await go(guest, pathname)
  await guest.getByRole('button', { name: 'the-member shares this' }).waitFor()
  await guest.getByPlaceholder('Shared with you to read.').waitFor()
  await guest.locator('.asked').getByText('the-member').waitFor()
  expect(await guest.getByRole('button', { name: 'Edit this message' }).count()).toBe(0)
  expect(await findingsAtNight(guest)).toEqual([])
  await kid.getByRole('button', { name: 'Shared with the-viewer' }).click()
  await dialog.getByRole('button', { name: 'End for the-viewer' }).click()
  await guest.getByRole('heading', { name: 'No such session' }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()

  await go(kid, '/settings')
  const parts = kid.getByRole('navigation', { name: 'Settings' }).getByRole('link')
  expect(await parts.allTextContents()).toEqual(['People and devices', 'Tokens', 'Notifications', 'Display'])
  // The address of a section that a member does not have shows the first one that they have.
  await go(kid, '/settings/models')
  await kid.getByRole('heading', { name: 'People and devices' }).waitFor()
  await go(kid, '/settings/tokens')
  const form = kid.getByRole('form', { name: 'Make a token' })
  expect(await form.getByRole('checkbox').count()).toBe(3)
  // A member hands out nothing that others said to JARVIS.
  expect(await form.getByLabel('Files of the memory').count()).toBe(0)
  await form.getByLabel('Name').fill('my-script')
  await form.getByRole('checkbox', { name: 'api' }).check()
  await form.getByRole('button', { name: 'Make a token' }).click()
  await givePassword(kid)
  await kid.getByText('my-script: copy it now, it is not shown again.').waitFor()
  await go(kid, '/system/feedback')
  await kid.getByLabel('What is good or bad about JARVIS?').fill('It is kind.')
  await kid.getByRole('button', { name: 'Keep' }).click()
  const said = kid.getByRole('list', { name: 'Feedback' }).getByRole('listitem')
  await said.filter({ hasText: 'It is kind.' }).waitFor()
  expect(await said.count()).toBe(1)
  await said.getByRole('button', { name: /^Delete/ }).click()
  await kid.getByText('Nobody has said anything yet.').waitFor()
  await go(kid, '/settings/notifications')
  await kid.getByText('Also while it is closed').waitFor()
  expect(await kid.getByText('Decide in the notification').count()).toBe(0)
  expect(await findingsAtNight(kid)).toEqual([])

  await go(kid, '/settings/display')
  const themeOf = (page: Page) => page.locator('html').getAttribute('data-theme')
  await kid.getByRole('radio', { name: /^Dark/ }).check()
  await kid.getByRole('button', { name: 'Use this in all my browsers' }).click()
  await kid.getByText('As in all your browsers.').waitFor()
  const phone = await enter('member')
  await expect.poll(() => themeOf(phone)).toBe('dark')
  await go(phone, '/settings/display')
  await phone.getByRole('radio', { name: /^Light/ }).check()
  await phone.reload()
  await phone.getByText('Chosen in this browser alone.').waitFor()
  expect([await themeOf(phone), await themeOf(kid)]).toEqual(['light', 'dark'])
  await phone.getByRole('button', { name: 'Follow my other browsers' }).click()
  expect(await themeOf(phone)).toBe('dark')
  // Another person at the same browser has their own.
  await kid.getByRole('button', { name: 'Sign out', exact: true }).click()
  await kid.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  await kid.reload()
  expect(await themeOf(kid)).toBe('light')
})

import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { seriousFindings } from './support/axe.ts'
import { dashboardDir, givePassword, go, test, useBrowser } from './support/browser.ts'
import { household, householdPolicy, membersRole, type Standing, tokenOf } from './support/persons.ts'
import type { TestJarvis } from './support/start-jarvis.ts'

const { person } = useBrowser()

/** Somebody who signed in before, at the first page. */
async function at(jarvis: TestJarvis, standing: Standing): Promise<Page> {
  const kept = {
    token: tokenOf(`per_${standing}`),
    name: `the-${standing}`,
    role: standing === 'member' ? membersRole : standing,
  }
  const localStorage = Object.entries(kept).map(([name, value]) => ({ name: `jarvis.${name}`, value }))
  const page = await person(jarvis, {
    storageState: { cookies: [], origins: [{ origin: jarvis.url, localStorage }] },
  })
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await page.locator('#main > *').first().waitFor()
  return page
}

/** What each person is offered, by page. */
const offered: Readonly<Record<string, Readonly<Record<string, readonly Standing[]>>>> = {
  '/': { Attach: ['member', 'operator', 'owner'] },
  '/agents': { 'New agent': ['owner'], 'Talk to it': ['operator', 'owner'], Edit: ['owner'] },
  '/automations': { 'New job': ['operator', 'owner'], 'Run now…': ['operator', 'owner'] },
  '/memory': { Write: ['operator', 'owner'] },
  '/terminal': { 'Open a shell on Home': ['owner'] },
  '/settings': { 'Make a token': ['member', 'operator', 'owner'], 'Attach the server': ['owner'] },
}
/** A member has no page that shows the whole cluster. */
const wholePages = ['Alerts', 'Automations', 'Journal']

test('each person is offered what they may do, and has the pages that they may see', async () => {
  const { jarvis } = await household({ dashboardDir, env: { JARVIS_TERMINAL: '1', JARVIS_EMBEDDINGS: 'none' } })
  for (const standing of ['viewer', 'member', 'operator', 'owner'] as const) {
    const page = await at(jarvis, standing)
    const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents()
    const whole = wholePages.filter((name) => links.some((link) => link.startsWith(name)))
    expect([standing, whole]).toEqual([standing, standing === 'member' ? [] : wholePages])
    for (const [path, acts] of Object.entries(offered)) {
      if (standing === 'member' && path === '/automations') continue
      if (path !== '/') await go(page, path)
      const main = page.locator('#main')
      for (const [name, who] of Object.entries(acts)) {
        const act = main.getByRole('button', { name, exact: true }).or(main.getByRole('link', { name, exact: true }))
        if (who.includes(standing)) await act.first().waitFor()
        else {
          // Whatever else the page shows is there.
          await page.waitForLoadState('networkidle')
          expect([standing, path, name, await act.count()]).toEqual([standing, path, name, 0])
        }
      }
    }
    await page.context().close()
  }
})

test('an owner breaks the glass with a typed reason and the password, and everybody sees it for a day', async () => {
  const two = '{name: two, tools: [stop_vm], tier: red, because: Two people., approve: {count: 2}}'
  const policy = `${householdPolicy}\nrules: [${two}]\nbreakGlass: true\n`
  const { jarvis } = await household({ dashboardDir, policy, env: { JARVIS_EMBEDDINGS: 'none' } })
  const asker = await jarvis.connect('/chat', 'operator', tokenOf('per_operator'))
  await asker.ask('chat:send', { message: '/stop_vm vmid=103' })
  await asker.next('chat:confirm_needed')
  const operator = await at(jarvis, 'operator')
  await go(operator, '/waiting')
  await operator.getByText('0 of 2 approved').first().waitFor()
  expect(await operator.getByRole('button', { name: 'Break the glass…' }).count()).toBe(0)

  const owner = await at(jarvis, 'owner')
  await go(owner, '/waiting')
  await owner.getByRole('button', { name: 'Break the glass…' }).click()
  const form = owner.getByRole('form', { name: 'Break the glass' })
  const approve = form.getByRole('button', { name: 'Approve alone' })
  expect(await approve.getAttribute('aria-disabled')).toBe('true')
  await form.getByRole('textbox').fill('The house is on fire and everybody else sleeps.')
  expect(await seriousFindings(owner)).toEqual([])
  await approve.click()
  await givePassword(owner)
  await asker.next('chat:done')
  expect(jarvis.controls.effects).toHaveLength(1)

  const viewer = await at(jarvis, 'viewer')
  const kid = await at(jarvis, 'member')
  for (const page of [owner, operator, viewer, kid]) {
    const banner = page.getByRole('region', { name: 'The glass was broken' })
    await banner.getByText('The house is on fire and everybody else sleeps.').waitFor()
    expect(await banner.textContent()).toContain('the-owner')
  }
  expect(await seriousFindings(kid)).toEqual([])
})

test('a member shares a conversation, makes a token and has the devices that are told, all of it on own pages', async () => {
  const { jarvis } = await household({ dashboardDir, env: { JARVIS_EMBEDDINGS: 'none' } })
  const kid = await at(jarvis, 'member')
  const guest = await at(jarvis, 'viewer')
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
  expect(await seriousFindings(kid)).toEqual([])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await kid.getByRole('button', { name: 'Shared with the-viewer' }).waitFor()

  // As of a conversation that is not among the newest 100.
  await guest.route('**/api/sessions?limit=100', (route) => route.fulfill({ json: { items: [] } }))
  await go(guest, pathname)
  await guest.getByRole('button', { name: 'the-member shares this' }).waitFor()
  await guest.getByPlaceholder('Shared with you to read.').waitFor()
  await guest.locator('.asked').getByText('the-member').waitFor()
  expect(await guest.getByRole('button', { name: 'Edit this message' }).count()).toBe(0)
  expect(await seriousFindings(guest)).toEqual([])
  await kid.getByRole('button', { name: 'Shared with the-viewer' }).click()
  await dialog.getByRole('button', { name: 'End for the-viewer' }).click()
  await guest.getByRole('heading', { name: 'No such session' }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()

  await go(kid, '/settings')
  const parts = kid.getByRole('navigation', { name: 'Settings' }).getByRole('link')
  expect(await parts.allTextContents()).toEqual(['People and devices', 'Tokens', 'Notifications', 'Display'])
  const form = kid.getByRole('form', { name: 'Make a token' })
  expect(await form.getByRole('checkbox').count()).toBe(3)
  await form.getByLabel('Name').fill('my-script')
  await form.getByRole('checkbox', { name: 'api' }).check()
  await form.getByRole('button', { name: 'Make a token' }).click()
  await givePassword(kid)
  await kid.getByText('my-script: copy it now, it is not shown again.').waitFor()
  await kid.getByText('Also while it is closed').waitFor()
  expect(await kid.getByText('Decide in the notification').count()).toBe(0)
  expect(await seriousFindings(kid)).toEqual([])

  const themeOf = (page: Page) => page.locator('html').getAttribute('data-theme')
  await kid.getByRole('radio', { name: /^Dark/ }).check()
  await kid.getByRole('button', { name: 'Use this in all my browsers' }).click()
  await kid.getByText('As in all your browsers.').waitFor()
  const phone = await at(jarvis, 'member')
  await expect.poll(() => themeOf(phone)).toBe('dark')
  await go(phone, '/settings')
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

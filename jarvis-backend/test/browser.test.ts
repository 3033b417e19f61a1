import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { dashboardDir, say, test, useBrowser } from './support/browser.ts'
import { calls, pauses, says, scripted } from './support/scripted-model.ts'
import { useSharedChat } from './support/shared-chat.ts'
import { password, startJarvis } from './support/start-jarvis.ts'

const { operator, person } = useBrowser()
const newChat = useSharedChat()
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

test('a question is answered, and what was read is shown', async () => {
  const { page } = await newChat(calls(['get_cluster_status', {}]), says('All **four** nodes, sir.'))
  await say(page, 'How are things?')
  await page.getByText('four', { exact: true }).waitFor()
  expect(await page.getByText('get_cluster_status').first().isVisible()).toBe(true)
})

test('a card is read, approved, and shrinks to what was observed', async () => {
  const { jarvis, page, effects } = await newChat(calls(['stop_vm', { vmid: 103 }]), says('It is done, sir.'))
  await say(page, 'Stop truenas.')
  const card = page.getByRole('article').filter({ has: page.getByRole('heading', { name: /Stop VM 103/ }) })
  await card.getByText('stop_vm').first().waitFor()
  expect(effects()).toEqual([])
  await card.getByRole('button', { name: 'Approve: stop 103' }).click()
  await page.getByText('It is done, sir.', { exact: true }).waitFor()
  expect(jarvis.guest(103)?.status).toBe('stopped')
  expect(effects()).toHaveLength(1)
  expect(await page.getByRole('button', { name: 'Approve: stop 103' }).count()).toBe(0)
})

test('a card is denied with a note, which the model reads', async () => {
  const { page, model, effects } = await newChat(calls(['restart_container', { vmid: 104 }]), says('Later, then.'))
  await say(page, 'Restart jellyfin.')
  await page.getByRole('button', { name: 'Deny…' }).click()
  await page.keyboard.type('Not during the film.')
  await page.getByRole('button', { name: 'Deny and say so' }).click()
  await page.getByText('Later, then.', { exact: true }).waitFor()
  const answer = model.requests[1]?.messages.at(-1)
  expect(answer?.role === 'user' && answer.results[0]?.text).toContain('Not during the film.')
  expect(effects()).toEqual([])
})

test('a refused call is shown with its reason and without buttons', async () => {
  const { page } = await newChat(calls(['execute_ssh', { node: 'pve', command: 'rm -rf /' }]), says('I may not.'))
  await say(page, 'Clean up.')
  await page.getByText('Refused', { exact: true }).first().waitFor()
  await page
    .getByText(/Nothing was run/)
    .first()
    .waitFor()
  expect(await page.getByRole('button', { name: /Approve/ }).count()).toBe(0)
})

test('two tabs show the same run, and one decides for both', async () => {
  const both = calls(['stop_vm', { vmid: 123 }], ['start_vm', { vmid: 142 }])
  const { page: first, effects } = await newChat(both, says('Both settled.'))
  await say(first, 'Stop 123 and start 142.')
  await first.getByRole('button', { name: 'Approve: start 142' }).waitFor()

  const second = await first.context().newPage()
  await second.goto(first.url())
  // A card that moves, as a page loads or another card goes, takes a press at that moment for nothing: a person presses again.
  const decide = async (page: Page, name: string) => {
    const button = page.getByRole('button', { name })
    const press = async () => {
      await button.click({ timeout: 2_000 }).catch(() => {})
      return button.count()
    }
    await expect.poll(press).toBe(0)
  }
  await decide(second, 'Approve: start 142')
  await first.getByRole('button', { name: 'Approve: start 142' }).waitFor({ state: 'detached' })
  await decide(first, 'Approve: stop 123')
  for (const page of [first, second]) await page.getByText('Both settled.', { exact: true }).waitFor()
  expect(effects()).toHaveLength(2)
  await second.close()
})

test('a reload in mid-answer shows the answer so far, and then the rest', async () => {
  const paused = pauses('The first half of it, ', 'and the second half.')
  const { page } = await newChat(paused)
  await say(page, 'Tell me.')
  await page.getByText('The first half of it').waitFor()
  await page.reload()
  await page.getByText('The first half of it').waitFor()
  paused.release()
  await page.getByText('The first half of it, and the second half.', { exact: true }).waitFor()
})

test('Escape closes the panel on top, withdraws the card at a second press, and what was queued is held until it is sent', async () => {
  const { page, effects } = await newChat(calls(['stop_vm', { vmid: 103 }]), says('Restarted in words only.'))
  await say(page, 'Stop truenas.')
  const allow = page.getByRole('button', { name: 'Allow for…' })
  await allow.click()
  await say(page, 'Then restart pvestatd on pve.')
  await page.locator('.queued').waitFor()
  await page.keyboard.press('Escape')
  expect(await allow.getAttribute('aria-expanded')).toBe('false')
  await page.keyboard.press('Escape')
  await page.getByText('again to stop the answer and withdraw 1 waiting confirmation.').waitFor()
  await page.getByRole('button', { name: 'Approve: stop 103' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('1 confirmation cancelled, nothing more was run.').waitFor()
  const held = page.locator('.queued')
  await held.getByText('Held, not sent').waitFor()
  await held.getByRole('button', { name: 'Send now' }).click()
  await page.getByText('Restarted in words only.', { exact: true }).waitFor()
  expect(effects()).toEqual([])
})

test('a card stands over a reload, its time going on, and Stop ends the answer and withdraws it', async () => {
  const { page, effects } = await newChat(calls(['restart_vm', { vmid: 101 }]))
  await say(page, 'Restart 101.')
  const approve = page.getByRole('button', { name: 'Approve: restart 101' })
  await approve.waitFor()
  await page.reload()
  await approve.waitFor()
  await page
    .getByText(/expires in/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: /^Stop/ }).click()
  await page
    .getByText(/Cancelled/)
    .first()
    .waitFor()
  expect(effects()).toEqual([])
})

test('a person signs in, after a wrong password, asks and approves with the keyboard alone, and stays signed in over a reload', async () => {
  const model = scripted(calls(['stop_vm', { vmid: 103 }]), says('Done by hand, sir.'))
  const jarvis = await startJarvis({ dashboardDir, model })
  const page = await person(jarvis)
  await page.getByLabel('Password', { exact: true }).waitFor()
  await page.keyboard.type('not-the-password')
  await page.keyboard.press('Enter')
  await page.getByText('That is not the password.').waitFor()
  await page.getByLabel('Password', { exact: true }).selectText()
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('Stop 103.')
  await page.keyboard.press('Enter')
  const approve = page.getByRole('button', { name: 'Approve: stop 103' })
  await approve.waitFor()
  await page.getByRole('button', { name: 'Approve: stop 103', disabled: false }).waitFor()
  expect(await approve.evaluate((button) => button.matches(':focus'))).toBe(false)
  await page.keyboard.press('Control+.')
  await page.keyboard.press('a')
  await page.keyboard.press('Enter')
  await page.getByText('Done by hand, sir.', { exact: true }).waitFor()
  expect(jarvis.controls.effects).toHaveLength(1)
  await page.reload()
  await page.getByText('Done by hand, sir.', { exact: true }).waitFor()
})

test('on a phone the card can be read and approved, and nothing scrolls sideways', async () => {
  const { jarvis, effects } = await newChat(calls(['restart_container', { vmid: 140 }]), says('Restarted, sir.'))
  const page = await operator(jarvis, phone)
  await say(page, 'Restart uptime-kuma.')
  const approve = page.getByRole('button', { name: 'Approve: restart 140' })
  await approve.waitFor()
  const box = await approve.boundingBox()
  expect(box?.height).toBeGreaterThanOrEqual(44)
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  await approve.tap()
  await page.getByText('Restarted, sir.', { exact: true }).waitFor()
  expect(effects()).toHaveLength(1)
})

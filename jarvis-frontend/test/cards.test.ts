import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { findingsInBothThemes, seriousFindings } from '../../jarvis-backend/test/support/axe.ts'
import { go } from '../../jarvis-backend/test/support/go.ts'
import { gallery } from '../src/testing/scenes/gallery.ts'
import { hostile } from '../src/testing/scenes/hostile.ts'
import type { Scripted } from '../src/testing/scripted-server.ts'
import { openStage, type Stage, test } from './support/browser.ts'

const scene = () => gallery(Date.now())
const path = '/chat/ses_gallery'

let stage: Stage
/** For tests that decide at most their own card. */
let shared: { server: Scripted; page: Page }
beforeAll(async () => {
  stage = await openStage()
  const server = await stage.play(scene())
  shared = { server, page: await stage.open(server, path, { isShared: true }) }
})
afterAll(() => stage.close())

const cardOf = (page: Page, id: string) => page.locator(`#card-${id}`)
const approve = (page: Page, id: string) => cardOf(page, id).getByRole('button', { name: /^Approve/ })
/** Waits until Approve of a card has woken. */
const awake = (page: Page, id: string) => cardOf(page, id).locator('.risk[aria-disabled="false"]').waitFor()
/** By its key. The card may just have moved, and has to lie still once more. */
async function arm(page: Page, id: string) {
  await cardOf(page, id).focus()
  await expect
    .poll(async () => {
      await page.keyboard.press('a')
      return cardOf(page, id).textContent()
    })
    .toContain('Enter approves, Esc steps back')
}

test.each([false, true])('every state of a card is drawn, in both themes, phone %s', async (isPhone) => {
  const server = await stage.play(scene())
  const page = await stage.open(server, path, { isPhone, height: isPhone ? 9_000 : 5_600 })
  await awake(page, 'pending')

  server.behaviour.answersDecisions = false
  await approve(page, 'approving').click()
  await cardOf(page, 'denying').getByRole('button', { name: 'Deny…' }).click()
  await cardOf(page, 'denying').getByRole('textbox').fill('Not during the film.')
  await arm(page, 'armed')

  const words: Record<string, string> = {
    done: 'Restarted VM 123 frigate on pveTask OK, guest seen running after 52 s. Approved by operator.',
    failed: 'VM 105 immich did not stopFailed: VM quit/powerdown failed',
    denied: 'Did not restart CT 104 jellyfinDenied by operator',
    expired: 'Did not stop VM 103 truenasExpired. Nobody decided within 15 min. Nothing was run.',
    cancelled: 'Did not start VM 142 win11-labCancelled',
    interrupted: 'I do not know whether this ran. 122 is running, for 5 d.',
    executing: 'Waiting until 123 is seen running',
    pending: 'Stop VM 103 truenas on pve?',
    armed: 'Enter approves, Esc steps back',
    denying: 'Deny and say so',
    approving: 'Sending your decision…',
    client: 'MCP client claude-desktop, token ops-laptop, cannot approve',
    changed: '120 is running now. It was stopped when this was asked.',
    hidden: 'The name has a character you cannot see and reads like 141 pbs. The number decides: this is 142.',
    forced: 'Cut the power of VM 105 immich on pve?',
  }
  for (const [id, text] of Object.entries(words)) expect(await cardOf(page, id).textContent(), id).toContain(text)
  expect(
    await cardOf(page, 'pending')
      .locator('.asker')
      .evaluate((name) => name.parentElement?.textContent),
  ).toMatch(/^Asked in this chat by \w/)
  expect(await findingsInBothThemes(page)).toEqual([])
})

test('a keyboard decides with two keys, never with one', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, path)
  await page.getByText('Cut the power of VM 105').waitFor()

  await page.keyboard.press('Control+.')
  const first = page.locator(':focus')
  expect(await first.getAttribute('id')).toBe('card-pending')
  await awake(page, 'pending')
  await page.keyboard.press('Enter')
  expect(server.decisions).toEqual([])

  await page.keyboard.press('a')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await arm(page, 'pending')
  await page.keyboard.press('Enter')
  await cardOf(page, 'pending').getByText('Approved by operator').waitFor()
  expect(server.decisions).toEqual([{ toolUseId: 'pending', confirmed: true }])
  expect(await page.locator(':focus').getAttribute('id')).toBe('card-pending')
})

test('Approve sleeps until the card was seen, and wakes after it lay still', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, path, { height: 480 })
  await approve(page, 'pending').waitFor({ state: 'attached' })
  expect(await approve(page, 'pending').getAttribute('aria-disabled')).toBe('true')
  await approve(page, 'pending').evaluate((button) => (button as HTMLButtonElement).click())
  expect(server.decisions).toEqual([])

  await cardOf(page, 'pending').scrollIntoViewIfNeeded()
  await awake(page, 'pending')
})

test('a click in the moment in which the card moves decides nothing', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, path, { height: 5_600 })
  await awake(page, 'pending')
  const clickedAs = (what: 'it moves' | 'it lies still') =>
    approve(page, 'pending').evaluate((button, isMoving) => {
      const card = button.closest<HTMLElement>('#card-pending')
      if (isMoving) card?.style.setProperty('translate', '0 40px')
      button.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }))
    }, what === 'it moves')
  await clickedAs('it moves')
  await cardOf(page, 'pending').locator('.risk[aria-disabled="true"]').waitFor()
  await awake(page, 'pending')
  expect(server.decisions).toEqual([])
  await clickedAs('it lies still')
  await expect.poll(() => server.decisions).toHaveLength(1)
})

test('Approve is never focused by itself and comes after Deny', async () => {
  const { page } = shared
  await cardOf(page, 'pending').scrollIntoViewIfNeeded()
  await awake(page, 'pending')
  expect(await page.locator('.risk:focus').count()).toBe(0)
  await cardOf(page, 'pending').focus()
  const order: (string | null)[] = []
  for (let at = 0; at < 3; at++) {
    await page.keyboard.press('Tab')
    order.push(
      (await page.locator(':focus').getAttribute('aria-label')) ?? (await page.locator(':focus').textContent()),
    )
  }
  expect(order).toEqual(['Copy the exact call', 'Deny…', 'Approve: stop 103'])
})

test('deny takes a note along', async () => {
  const { server, page } = shared
  await cardOf(page, 'denying').focus()
  await page.keyboard.press('d')
  await page.keyboard.type('Not during the film.')
  await page.keyboard.press('Enter')
  await cardOf(page, 'denying').getByText('“Not during the film.”').waitFor()
  expect(server.decisions.at(-1)).toEqual({ toolUseId: 'denying', confirmed: false, note: 'Not during the film.' })
})

test('a forced call wants its id typed', async () => {
  const { server, page } = shared
  const field = cardOf(page, 'forced').getByRole('textbox')
  await field.fill('10')
  await cardOf(page, 'forced').scrollIntoViewIfNeeded()
  expect(await approve(page, 'forced').getAttribute('aria-disabled')).toBe('true')
  await field.fill('105')
  // A click that has to scroll first moves the card, and Approve sleeps again.
  await approve(page, 'forced').scrollIntoViewIfNeeded()
  await awake(page, 'forced')
  await approve(page, 'forced').click()
  await cardOf(page, 'forced').getByText('Cutting the power of').waitFor()
  expect(server.decisions.at(-1)).toEqual({ toolUseId: 'forced', confirmed: true })
})

test('a target that changed locks Approve until it was read', async () => {
  const { page } = shared
  const card = cardOf(page, 'changed')
  expect(await approve(page, 'changed').count()).toBe(0)
  await card.getByRole('button', { name: 'I have read it' }).click()
  await approve(page, 'changed').waitFor()
})

test('a decision made elsewhere folds the acts away and leaves the focus on the card', async () => {
  const { server, page } = shared
  await cardOf(page, 'pending').getByRole('button', { name: 'Deny…' }).focus()
  server.append('ses_gallery', { type: 'confirm_resolved', toolUseId: 'pending', decision: 'approved', by: 'operator' })
  await cardOf(page, 'pending').getByText('Approved on another device').waitFor()
  expect(await page.locator(':focus').getAttribute('id')).toBe('card-pending')
})

test('a viewer reads the reason in place of the acts', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, path, { role: 'viewer' })
  await cardOf(page, 'pending').getByText('An operator can do this.').waitFor()
  expect(await page.getByRole('button', { name: /^(Approve|Deny)/ }).count()).toBe(0)
})

test('without a link nothing can be decided, and the card says so', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, path)
  await approve(page, 'pending').waitFor()
  await server.close()
  await cardOf(page, 'pending').getByText('No connection. You can decide when it is back').waitFor()
  expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
})

test('what was armed when the link went is armed anew, and the focus stays on the card', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, path)
  const card = cardOf(page, 'pending')
  await arm(page, 'pending')
  server.behaviour.takesSockets = false
  server.drop()
  await card.getByText('No connection').waitFor()
  expect(await page.locator(':focus').getAttribute('id')).toBe('card-pending')
  server.behaviour.takesSockets = true
  await awake(page, 'pending')
  expect(await card.locator('.armed').count()).toBe(0)
})

test('names and texts of others never become markup', async () => {
  const server = await stage.play(hostile(Date.now()))
  const page = await stage.open(server, '/chat/ses_hostile')
  await cardOf(page, 'h1').waitFor()
  await page.getByRole('button', { name: /execute_ssh/ }).click()
  for (const place of ['/chat/ses_hostile', '/cluster', '/waiting']) {
    if (place !== '/chat/ses_hostile') await go(page, place)
    await page.getByText('<img src=x').first().waitFor()
    expect(
      await page.locator('img, main script, iframe, #root b:text-is("JARVIS<"), a[href^="javascript"]').count(),
    ).toBe(0)
    expect(
      await page.locator('main b:text-is("pve"), b:text-is("bold"), b:text-is("red"), b:text-is("summary")').count(),
    ).toBe(0)
    expect(await page.evaluate(() => 'hit' in globalThis)).toBe(false)
  }
  await go(page, '/chat/ses_hostile')
  const card = cardOf(page, 'h1')
  await card.waitFor()
  expect(await card.locator('h3').textContent()).toContain('U+202E')
  expect(
    await card
      .locator('.boxed')
      .first()
      .evaluate((box) => box.tagName),
  ).toBe('BDI')
  expect(await page.locator('.prose a').allTextContents()).toEqual(['site (evil.example)'])
  expect(await page.locator('.prose h1').count()).toBe(0)
})

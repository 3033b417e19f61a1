import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { findingsInBothThemes, seriousFindings } from '../../jarvis-backend/test/support/axe.ts'
import { go } from '../../jarvis-backend/test/support/go.ts'
import { gallery } from './scenery/scenes/gallery.ts'
import { hostile } from './scenery/scenes/hostile.ts'
import { openStage, type Stage, test } from './support/browser.ts'

const scene = () => gallery(Date.now())
const path = '/chat/ses_gallery'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const cardOf = (page: Page, id: string) => page.locator(`#card-${id}`)
const approve = (page: Page, id: string) => cardOf(page, id).getByRole('button', { name: /^Approve/ })
/** Waits until Approve of a card has woken. */
const awake = (page: Page, id: string) => cardOf(page, id).locator('.risk[aria-disabled="false"]').waitFor()
/** By its key. The card may just have moved, and has to lie still once more; a letter that follows another at once is part of a word. */
async function arm(page: Page, id: string) {
  await cardOf(page, id).focus()
  const pressed = async () => {
    await page.keyboard.press('a')
    return cardOf(page, id).textContent()
  }
  await expect.poll(pressed, { interval: 1_000 }).toContain('Enter approves, Esc steps back')
}

test('every state of a card is drawn, in both themes', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, path, { height: 5_600 })
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
  const seen = Object.fromEntries(
    await Promise.all(Object.keys(words).map(async (id) => [id, await cardOf(page, id).textContent()] as const)),
  )
  expect(Object.entries(words).filter(([id, text]) => !seen[id]?.includes(text))).toEqual([])
  expect(
    await cardOf(page, 'pending')
      .locator('.asker')
      .evaluate((name) => name.parentElement?.textContent),
  ).toMatch(/^Asked in this chat by \w/)
  expect(await findingsInBothThemes(page)).toEqual([])

  // As narrow as a phone, all of it is there still.
  await page.setViewportSize({ width: 390, height: 9_000 })
  await page.getByRole('link', { name: 'More', exact: true }).waitFor()
  expect(await cardOf(page, 'armed').textContent()).toContain('Enter approves, Esc steps back')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  expect(await seriousFindings(page)).toEqual([])
})

test('a keyboard decides with two keys, never with one, on a card that was seen and that has a link', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, path, { height: 480 })
  const card = cardOf(page, 'pending')
  const focused = () => page.locator(':focus').getAttribute('id')

  // Approve sleeps until the card was seen.
  await approve(page, 'pending').waitFor({ state: 'attached' })
  expect(await approve(page, 'pending').getAttribute('aria-disabled')).toBe('true')
  await approve(page, 'pending').evaluate((button) => (button as HTMLButtonElement).click())
  expect(server.decisions).toEqual([])
  await cardOf(page, 'pending').scrollIntoViewIfNeeded()
  await awake(page, 'pending')

  await page.setViewportSize({ width: 1_440, height: 900 })
  // The next card gets the focus, Approve never by itself: it comes after Deny.
  await page.keyboard.press('Control+.')
  expect(await focused()).toBe('card-pending')
  await awake(page, 'pending')
  expect(await page.locator('.risk:focus').count()).toBe(0)
  const order: (string | null)[] = []
  for (let at = 0; at < 3; at++) {
    await page.keyboard.press('Tab')
    order.push(
      (await page.locator(':focus').getAttribute('aria-label')) ?? (await page.locator(':focus').textContent()),
    )
  }
  expect(order).toEqual(['Copy the exact call', 'Deny…', 'Approve: stop 103'])

  // A card that is armed when the link breaks cannot be decided; it is armed anew after that.
  await arm(page, 'pending')
  server.behaviour.takesSockets = false
  server.drop()
  await card.getByText('No connection. You can decide when it is back').waitFor()
  expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
  expect(await focused()).toBe('card-pending')
  expect(await seriousFindings(page)).toEqual([])
  server.behaviour.takesSockets = true
  await page.evaluate("dispatchEvent(new Event('online'))")
  await awake(page, 'pending')
  expect(await card.locator('.armed').count()).toBe(0)

  // Enter alone does nothing, nor does it after Escape.
  await card.focus()
  await page.keyboard.press('Enter')
  expect(server.decisions).toEqual([])
  await page.keyboard.press('a')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await arm(page, 'pending')
  await page.keyboard.press('Enter')
  await card.getByText('Approved by operator').waitFor()
  expect(server.decisions).toEqual([{ toolUseId: 'pending', confirmed: true }])
  expect(await focused()).toBe('card-pending')

  // Deny takes a note along, which stays where the link breaks while it is typed.
  await cardOf(page, 'denying').focus()
  await page.keyboard.press('d')
  await page.keyboard.type('Not during')
  server.behaviour.takesSockets = false
  server.drop()
  await cardOf(page, 'denying').getByText('No connection. You can decide when it is back').waitFor()
  await page.keyboard.type(' the film.')
  await page.keyboard.press('Enter')
  server.behaviour.takesSockets = true
  await page.evaluate("dispatchEvent(new Event('online'))")
  await cardOf(page, 'denying').getByRole('button', { name: 'Deny and say so' }).waitFor()
  await page.keyboard.press('Enter')
  await cardOf(page, 'denying').getByText('“Not during the film.”').waitFor()
  expect(server.decisions.at(-1)).toEqual({ toolUseId: 'denying', confirmed: false, note: 'Not during the film.' })
})

test('a click decides what lies still, was read and, where it is forced, was named', async () => {
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

  const field = cardOf(page, 'forced').getByRole('textbox')
  await field.fill('10')
  expect(await approve(page, 'forced').getAttribute('aria-disabled')).toBe('true')
  await field.fill('105')
  await awake(page, 'forced')
  await approve(page, 'forced').click()
  await cardOf(page, 'forced').getByText('Cutting the power of').waitFor()
  expect(server.decisions.at(-1)).toEqual({ toolUseId: 'forced', confirmed: true })

  // A target that changed locks Approve until it was read.
  expect(await approve(page, 'changed').count()).toBe(0)
  await cardOf(page, 'changed').getByRole('button', { name: 'I have read it' }).click()
  await approve(page, 'changed').waitFor()

  // A decision made elsewhere folds the acts away and leaves the focus on the card.
  await cardOf(page, 'armed').getByRole('button', { name: 'Deny…' }).focus()
  server.append('ses_gallery', { type: 'confirm_resolved', toolUseId: 'armed', decision: 'approved', by: 'operator' })
  await cardOf(page, 'armed').getByText('Approved on another device').waitFor()
  expect(await page.locator(':focus').getAttribute('id')).toBe('card-armed')
})

test('a viewer reads the reason in place of the acts', async () => {
  const server = await stage.play(scene())
  const page = await stage.open(server, path, { role: 'viewer' })
  await cardOf(page, 'pending').getByText('An operator can do this.').waitFor()
  expect(await page.getByRole('button', { name: /^(Approve|Deny)/ }).count()).toBe(0)
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
  expect(await card.locator('h2').textContent()).toContain('U+202E')
  expect(
    await card
      .locator('.boxed')
      .first()
      .evaluate((box) => box.tagName),
  ).toBe('BDI')
  expect(await page.locator('.prose a').allTextContents()).toEqual(['site (evil.example)'])
  expect(await page.locator('.prose h1').count()).toBe(0)
})

import { afterAll, beforeAll, expect } from 'vitest'
import { findingsInBothThemes, seriousFindings } from '../../jarvis-backend/test/support/axe.ts'
import { changesScene } from './scenery/scenes/changes.ts'
import { openStage, type Stage, test } from './support/browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const path = '/chat/ses_changes'

test('every end of a change is drawn, in both themes; one is undone, one taken back, and one goes back where that was chosen', async () => {
  const server = await stage.play(changesScene(Date.now()))
  const page = await stage.open(server, path, { height: 1_700 })
  const words: Record<string, string> = {
    'change-armed': 'CPU limit of CT 122 "sabnzbd" is 2 cores. Keep it?',
    'change-wentback': 'Went back by itself: nobody kept it.',
    'change-stuck': 'Could not go back. cpulimit is 4 now, not 2. Nothing was changed.',
    'change-kept': 'Kept by operator',
    'card-asks': 'Its memory goes back to 8 GiB; loses what it cached',
  }
  for (const [id, text] of Object.entries(words)) {
    await page.locator(`#${id}`).waitFor()
    expect(await page.locator(`#${id}`).textContent(), id).toContain(text)
  }
  expect(await page.locator('#card-asks').textContent()).toContain('LaterThe safety snapshot jarvis-1006 is deleted')
  expect(await page.locator('#change-armed').textContent()).toMatch(/goes back in0[78]:\d\d/)
  expect(await page.locator('#change-armed').textContent()).toMatch(
    /If silentpve takes it back at .* by a timer of its own/,
  )
  expect(await page.locator('[data-undo=plain]').count()).toBe(1)
  const compare = page.getByRole('link', { name: 'Compare…' })
  expect(await compare.getAttribute('href')).toBe('/guest/122?tab=config&against=change%3Astuck')
  expect(await page.locator('#change-stuck').getByRole('link', { name: 'Compare…' }).count()).toBe(1)
  expect(await findingsInBothThemes(page)).toEqual([])

  await page.locator('[data-undo=plain]').click()
  await expect.poll(() => server.sent).toEqual([{ sessionId: 'ses_changes', message: '/undo change="plain"' }])
  await page.getByRole('button', { name: 'Go back now' }).click()
  await page.locator('#change-armed').getByText('Went back on request by operator').waitFor()
  expect(server.answers).toEqual([{ id: 'armed', act: 'undo' }])

  // A card lets its change go back by itself only where that was chosen.
  const card = page.locator('#card-asks')
  expect(await card.getByRole('checkbox').isChecked()).toBe(false)
  await card.getByRole('checkbox').check()
  await card.getByRole('combobox').selectOption('30')
  // The card has just moved by the choice, and takes no click before it lay still.
  const approved = async () => {
    await card
      .locator('.risk[aria-disabled="false"]')
      .click({ timeout: 1_000 })
      .catch(() => {})
    return server.decisions
  }
  await expect.poll(approved).toEqual([{ toolUseId: 'asks', confirmed: true, goesBackAfterMin: 30 }])
})

test('a viewer can neither keep a change nor undo it, on a phone', async () => {
  const server = await stage.play(changesScene(Date.now()))
  const page = await stage.open(server, path, { role: 'viewer', isPhone: true, height: 3_200 })
  await page.locator('#change-armed').getByText('An operator can keep it or take it back.').waitFor()
  expect(await page.getByRole('button', { name: 'Undo…' }).count()).toBe(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  expect(await seriousFindings(page)).toEqual([])
})

test('two keys keep a change, everywhere at once, and one key keeps nothing', async () => {
  const server = await stage.play(changesScene(Date.now()))
  const page = await stage.open(server, path, { height: 1_700 })
  const waiting = await stage.open(server, '/waiting?change=armed')
  await waiting.locator('.inbox').getByText('goes back by itself unless you keep it').waitFor()
  await expect.poll(() => waiting.title()).toBe('(5) Waiting · JARVIS')
  const row = page.locator('#change-armed')
  await row.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('u')
  await row.getByText('Enter takes it back, Esc steps back').waitFor()
  await page.keyboard.press('Escape')
  expect(server.answers).toEqual([])
  await page.keyboard.press('a')
  await row.getByText('Enter keeps it, Esc steps back').waitFor()
  await page.keyboard.press('Enter')
  await page.locator('#change-armed').getByText('Kept by operator').waitFor()
  await waiting.locator('#change-armed').getByText('Kept by operator').waitFor()
  await expect.poll(() => waiting.title()).toBe('(4) Waiting · JARVIS')
  expect(server.answers).toEqual([{ id: 'armed', act: 'keep' }])
})

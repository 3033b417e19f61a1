import { expect } from 'vitest'
import { spoofs } from './corpora/spoofing.ts'
import { dashboardDir, say, test, useBrowser } from './support/browser.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const { operator } = useBrowser()
const first = 1_000

/** One card as a person has it on screen. */
type Shown = { id: string; boxed: string; text: string; banners: string; parts: string[]; buttons: string[] }

/** Reads every waiting card out of the page. */
const readCards = `[...document.querySelectorAll('article[data-pending]')].map((card) => ({
  id: card.querySelector('h2 .num').textContent,
  boxed: card.querySelector('h2 .boxed')?.textContent ?? '',
  text: card.textContent,
  banners: [...card.querySelectorAll('.banner')].map((banner) => banner.textContent).join(' '),
  parts: [...new Set([...card.querySelectorAll('*')].map((part) => part.tagName.toLowerCase()))],
  buttons: [...card.querySelectorAll('button')].map((button) => button.textContent || button.ariaLabel),
}))`

const unseen =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u115f\u1160\u2800\u3164\uffa0\u00a0\u2003\u200a\u202f\u3000]/u
const partsOfACard =
  /^(?:h2|header|span|bdi|svg|path|circle|dl|div|dt|dd|small|code|b|button|footer|i|g|rect|line|polyline|use)$/

test('no name can hide anything on a card, nor draw on it', async () => {
  const asked = spoofs.map((_, at): [string, Record<string, unknown>] => {
    const vmid = first + at
    return [vmid % 2 === 0 ? 'stop_vm' : 'stop_container', { vmid }]
  })
  const jarvis = await startJarvis({ dashboardDir, model: scripted(calls(...asked), says('Never.')) })
  jarvis.controls.addGuests(spoofs.length)
  for (const [at, { value }] of spoofs.entries()) {
    jarvis.controls.renameGuest(first + at, value)
    jarvis.controls.tagGuest(first + at, ['dns', `group-${value}`])
  }
  const page = await operator(jarvis)
  await say(page, 'Stop them all.')
  await page
    .locator('article[data-pending]')
    .nth(spoofs.length - 1)
    .waitFor()
  const shown = new Map(((await page.evaluate(readCards)) as Shown[]).map((card) => [card.id, card]))

  for (const [at, spoof] of spoofs.entries()) {
    const card = shown.get(String(first + at))
    expect(card, spoof.what).toBeDefined()
    if (card === undefined) continue
    expect(card.text, spoof.what).not.toMatch(unseen)
    expect(
      card.parts.filter((part) => !partsOfACard.test(part)),
      spoof.what,
    ).toEqual([])
    expect(card.buttons.slice(0, 3), spoof.what).toEqual([
      'Copy the exact call',
      'Deny…',
      `Approve: stop ${first + at}`,
    ])
    expect(card.buttons.length, spoof.what).toBeLessThanOrEqual(4)
    if (spoof.kind === 'hidden') {
      for (const code of spoof.codes) expect(card.boxed, spoof.what).toContain(code)
      expect(card.banners, spoof.what).toContain('a character you cannot see')
    } else expect(card.boxed.replace(/U\+0020(?: ×\d+)?/g, ' '), spoof.what).toBe(spoof.value)
    if (spoof.kind === 'mixed') expect(card.banners, spoof.what).toContain('mixes letters that look alike')
  }
  expect(await page.title()).toMatch(new RegExp(`^\\(${spoofs.length}\\) .+ · JARVIS$`))
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
  expect(jarvis.controls.effects).toEqual([])
})

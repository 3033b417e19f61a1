import { systemClock } from 'node-kit/clock'
import type { Page } from 'playwright-core'
import { noUsage } from 'protocol'
import { expect } from 'vitest'
import { isNight } from '../../scripts/property-runs.ts'
import { demoModel } from '../src/providers/index.ts'
import { dashboardDir, go, say, test, useBrowser } from './support/browser.ts'
import { calls, says } from './support/scripted-model.ts'
import { useSharedChat } from './support/shared-chat.ts'
import { createSimulator } from './support/simulator.ts'
import { startJarvis } from './support/start-jarvis.ts'

const { operator } = useBrowser()
const env = { JARVIS_EMBEDDINGS: 'none' }
const newChat = useSharedChat({ env })

/** True if all of it stands on the screen, and nothing over it. */
const isInView = (page: Page, selector: string) =>
  page.evaluate(`{
    const element = document.querySelector('${selector}')
    const { left, top, right, bottom } = element.getBoundingClientRect()
    ;[[left + 2, top + 2], [right - 2, bottom - 2]].every(([x, y]) => element.contains(document.elementFromPoint(x, y)))
  }`)

/** How many columns and guests' rows there are, how many of their Up and Backup cells lie outside of the table's room or have none, and how much of the room its columns leave. */
const lookAtTable = `{
  const table = document.querySelector('table.guests')
  const room = table.parentElement.getBoundingClientRect().right
  const columns = [...table.tHead.rows[0].cells]
  const wanted = columns.flatMap((cell, at) => (/^(?:Up|Backup)$/.test(cell.textContent) ? [at] : []))
  const rows = [...table.rows].filter(({ cells }) => cells.length === columns.length)
  const boxes = rows.flatMap(({ cells }) => wanted.map((at) => cells[at].getBoundingClientRect()))
  const left = Math.round(room - columns.at(-1).getBoundingClientRect().right)
  ;[wanted.length, rows.length, boxes.filter(({ right, width }) => right > room + 1 || width < 20).length, left]
}`

test('the first question that the idle page offers is followed to its end', async () => {
  const homelab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 100 })
  const model = demoModel({ cluster: () => homelab.cluster.state() })
  const jarvis = await startJarvis({ dashboardDir, env, homelab, model })
  const page = await operator(jarvis)
  // Else they look ten seconds after the start.
  await jarvis.rest('/api/checks/run', { method: 'POST' })
  const offered = page.locator('.prompts button').first()
  await offered.filter({ hasText: 'pve is at' }).waitFor()
  await offered.click()
  const card = page.getByRole('article', { name: 'Restart VM 123 frigate on pve?' })
  await card.waitFor()
  await page.getByRole('paragraph').filter({ hasText: 'The cause is' }).waitFor()
  await card.getByRole('button', { name: 'Approve: restart 123' }).and(page.locator('[aria-disabled=false]')).click()
  await page.getByRole('paragraph').filter({ hasText: 'That was it, sir' }).waitFor()
  await page.getByRole('paragraph').filter({ hasText: 'built-in demo, sir' }).waitFor()
})

test('a sentence that an answer suggests is sent by a key press, which leaves the focus where one writes', async () => {
  const text = 'I can say “how is it?” or stay silent.'
  const { page, model } = await newChat(async (_request, sink) => {
    sink.text(text)
    return {
      content: [{ type: 'text', text }],
      stopReason: 'end_turn',
      usage: noUsage,
      suggestions: ['how is it?'],
    }
  }, says('Well.'))
  await say(page, 'Hi.')
  const suggested = page.getByRole('button', { name: 'how is it?' })
  await suggested.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('paragraph').filter({ hasText: 'Well.' }).waitFor()
  await page.locator('#composer:focus').waitFor()
  expect(await suggested.count()).toBe(0)
  expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({
    role: 'user',
    text: expect.stringContaining('how is it?'),
  })
})

test('several cards are denied at once, after they were named, and no other with them', async () => {
  const stops = calls(['stop_vm', { vmid: 103 }], ['stop_container', { vmid: 105 }])
  const { page, effects } = await newChat(stops, says('As you wish.'), stops, says('Neither, then.'))
  await say(page, 'Stop them.')
  const all = page.getByRole('region', { name: 'Deny all' })
  await all.getByRole('button', { name: 'Deny all 2…' }).click()
  expect(await all.getByRole('listitem').allTextContents()).toEqual([
    expect.stringContaining('Stop VM 103 truenas on pve?'),
    expect.stringContaining('Stop CT 105 immich on pve?'),
  ])
  // Back undoes nothing, for nothing was done.
  await page.keyboard.press('Escape')
  await all.getByRole('button', { name: 'Deny all 2…' }).press('Enter')
  await all.getByRole('button', { name: 'Deny these 2' }).press('Enter')
  await page.getByText('As you wish.', { exact: true }).waitFor()
  expect(await page.evaluate('document.activeElement.id')).toMatch(/^card-/)
  await all.waitFor({ state: 'detached' })

  await page.getByRole('link', { name: 'New chat' }).first().click()
  await page.getByText('As you wish.', { exact: true }).waitFor({ state: 'detached' })
  await say(page, 'And these.')
  await page.getByRole('button', { name: 'Approve: stop 103' }).waitFor()
  await go(page, '/waiting')
  await all.getByRole('button', { name: 'Deny all 2…' }).click()
  await all.getByRole('button', { name: 'Deny these 2' }).click()
  await page.getByText('Nothing waits for you.').first().waitFor()
  expect(effects()).toEqual([])
})

test('the form for a grant opens inside the visible part of the page', async () => {
  const { page } = await newChat(calls(['stop_vm', { vmid: 103 }]))
  await page.setViewportSize({ width: 1280, height: 620 })
  await say(page, 'Stop truenas.')
  await page.getByRole('button', { name: 'Allow for…' }).click()
  await expect.poll(() => isInView(page, '.grant')).toBe(true)
})

test('every guest shows since when it is up and its backup at every width, however long a name', async () => {
  const { jarvis, page } = await newChat()
  jarvis.controls.renameGuest(123, 'a-very-long-name-that-somebody-gave-it-for-good-reasons-long-ago')
  await go(page, '/cluster')
  const ends = [1440, 800]
  const expectAll = async (rows: unknown, widths = ends) => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await expect.poll(() => page.evaluate(lookAtTable), { message: `${width} px` }).toEqual([2, rows, 0, 0])
    }
  }
  await page.getByRole('link', { name: /^a-very-long-name/ }).waitFor()
  await expectAll(22, isNight ? [...ends, 1366, 1280, 1024] : ends)
  await page.getByRole('link', { name: 'By node' }).click()
  await page.getByRole('rowheader', { name: /^pve 8 of 8/ }).waitFor()
  await expectAll(22)
  jarvis.controls.addGuests(200)
  await page.getByRole('link', { name: 'All 221', exact: true }).waitFor()
  await expectAll(expect.any(Number))
})

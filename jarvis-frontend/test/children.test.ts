import { afterAll, beforeAll, expect } from 'vitest'
import { seriousFindings } from '../../jarvis-backend/test/support/axe.ts'
import { childrenScene } from './scenery/scenes/children.ts'
import { openStage, type Stage, test } from './support/browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('child runs are folded, open to their calls, and show their cards in the chat, on a phone too', async () => {
  const server = await stage.play(childrenScene(Date.now()))
  const page = await stage.open(server, '/chat/ses_children')
  const media = page.getByRole('article', { name: 'media, asked by main, Done' })
  const coder = page.getByRole('article', { name: 'coder, asked by main, works' })
  await expect
    .poll(() => media.textContent())
    .toMatch(/14 calls · 31.0k tokens · \$0.04[\s\S]*Done after 48 s: 122 sabnzbd/)
  await expect.poll(() => coder.textContent()).toContain('waits for you, below: execute_ssh')
  // Its words and calls are folded, and never stand in the run that asked.
  expect(await page.getByText('get_guest_config').count()).toBe(0)
  await coder.getByRole('button', { name: /Find the largest tables/ }).click()
  await coder.getByText('get_guest_config').waitFor()
  await page.locator('#card-c_exec').getByText('for main, in this chat').waitFor()
  await page.getByText('main waits for coder; 1 of 2 is done. Stop ends all of them.').waitFor()
  const shot = (name: string) =>
    process.env.SHOTS ? page.screenshot({ path: `${process.env.SHOTS}/children${name}.png` }) : undefined
  for (const [width, name] of [
    [390, '-phone'],
    [1_440, ''],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.getByRole('link', { name: 'More', exact: true }).waitFor({ state: width === 390 ? 'visible' : 'hidden' })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    expect(await seriousFindings(page), `${width} px`).toEqual([])
    await shot(name)
  }
  // One helper alone is stopped, and only while it works.
  expect(await media.getByRole('button', { name: 'Stop media alone' }).count()).toBe(0)
  await coder.getByRole('button', { name: 'Stop coder alone' }).click()
  await page
    .getByRole('article', { name: 'coder, asked by main, Stopped' })
    .getByText('A person, operator, stopped it before it was done.')
    .waitFor()
})

import { expect } from 'vitest'
import { findingsAtNight } from './support/axe.ts'
import { dashboardDir, givePassword, passwordDialog, test, useBrowser } from './support/browser.ts'
import { scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const { operator } = useBrowser()
const [vm, ct] = [101, 104]

/** How many of the screen's dots are ink, in rows of text from `from` to `to`. */
const inkOf = (from: number, to: number) => `(() => {
  const canvas = document.querySelector('.vm-screen canvas')
  if (canvas === null || canvas.width === 0) return 0
  const { data } = canvas.getContext('2d').getImageData(0, ${from} * 16, canvas.width, ${to - from} * 16)
  let dots = 0
  for (let at = 0; at < data.length; at += 4) if (data[at] > 100) dots += 1
  return dots
})()`

test('an operator opens a VM’s screen and a container’s terminal, types, gets out by keyboard, and is told how each ended', async () => {
  const env = { JARVIS_EMBEDDINGS: 'none', JARVIS_TERMINAL: '1' }
  const jarvis = await startJarvis({ dashboardDir, model: scripted(), env })
  const page = await operator(jarvis, {}, `/cluster?guest=${vm}`, false)
  await page.getByRole('link', { name: 'Screen', exact: true }).click()
  const name = jarvis.guest(vm)?.name
  await page.getByText(`This is the screen of ${name} itself.`).waitFor()
  await page.getByText('The journal keeps who, where, how long and how many bytes, not what.').waitFor()
  await page.getByRole('button', { name: 'Open the screen' }).click()
  await passwordDialog(page).waitFor()
  await givePassword(page)
  await page.getByText('Connected.').waitFor()
  const ink = (from: number, to: number) => page.evaluate<number>(inkOf(from, to))
  await expect.poll(() => ink(0, 1)).toBeGreaterThan(200)

  // Typed letters are drawn, capitals too.
  const before = await ink(7, 8)
  await page.keyboard.type('Hello')
  await expect.poll(() => ink(7, 8)).toBeGreaterThan(before + 100)
  expect(await ink(9, 10)).toBe(0)
  await page.getByRole('button', { name: 'Send Ctrl Alt Del' }).click()
  await expect.poll(() => ink(9, 10)).toBeGreaterThan(100)
  expect(await findingsAtNight(page)).toEqual([])
  await page.getByRole('application', { name: `Screen of ${name}` }).focus()
  await page.keyboard.press('Shift+Tab')
  await page.locator('button:focus', { hasText: 'Send Ctrl Alt Del' }).waitFor()
  await page.getByRole('button', { name: 'Close the screen' }).click()
  await page.getByText(`The screen of ${name} ended: closed`).waitFor()

  await page.getByRole('button', { name: 'Open the screen' }).click()
  await page.getByText('Connected.').waitFor()
  jarvis.controls.setStatus(vm, 'stopped')
  await page.getByText(`The screen of ${name} ended: ${name} stopped`).waitFor()
  await page.getByText('A guest that is stopped has no screen.').waitFor()

  await page.goto(`${jarvis.url}/console?vmid=${ct}`)
  const container = jarvis.guest(ct)?.name
  await page.getByRole('button', { name: 'Open the terminal' }).click()
  const screen = page.locator('.xterm-rows')
  await screen.getByText(`root@${container}:~#`).first().waitFor()
  await page.keyboard.type('uname\n')
  await screen.getByText(`Linux ${container}`).first().waitFor()
  expect(await findingsAtNight(page)).toEqual([])
  await page.keyboard.type('exit\n')
  await page.getByText(`The terminal of ${container} ended: its shell ended with exit code 0`).waitFor()

  const journal = await (await jarvis.rest('/api/journal?kind=terminal')).text()
  for (const word of [`"guest":"${name}"`, `"guest":"${container}"`, '"console":"screen"', `${name} stopped`]) {
    expect(journal).toContain(word)
  }
  expect(journal).not.toContain('uname')
})

import { afterAll, beforeAll, expect, vi } from 'vitest'
import { seriousFindings } from '../../jarvis-backend/test/support/axe.ts'
import { guestScene } from '../src/testing/scenes/guest.ts'
import { openStage, type Stage, test } from './support/browser.ts'

vi.setConfig({ testTimeout: 60_000 })

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test.each([
  ['dark', false],
  ['light', false],
  ['dark', true],
  ['light', true],
] as const)('a guest’s page says all that is known of it, theme %s, phone %s', async (theme, isPhone) => {
  const server = await stage.play(guestScene(Date.now()))
  const page = await stage.open(server, '/guest/105', { theme, isPhone, ...(isPhone && { height: 1_900 }) })
  const main = page.locator('.guest-page')
  await main.getByText('Proven 12 d ago').waitFor()
  await main.locator('.chart').first().waitFor()
  for (const words of [
    'The CPU limit of VM 105 "immich" is 2 cores. Keep it?',
    'Not proven: immich itself was not asked.',
    'by its tag it is a database',
    'stands in for it: 121 running',
    'cannot be undone: a restart is over',
    'nvme-fast its disks, 91 % full',
    'before-1119',
  ])
    expect(await main.textContent()).toContain(words)
  await main.getByRole('button', { name: 'Snapshot, Change, runs, is journalled' }).waitFor()
  await main.getByRole('button', { name: 'Restart, Ask, waits for you' }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/guest-${theme}-${isPhone}.png` })
})

test('keys lead through guests and tabs, acts send their command, and Undo opens the chat of its card', async () => {
  const server = await stage.play(guestScene(Date.now()))
  const page = await stage.open(server, '/guest/105')
  await page.getByText('Proven 12 d ago').waitFor()
  await page.keyboard.press('2')
  await page.getByText('from its next stop: 8192').waitFor()
  expect(await page.locator('.guest-config').textContent()).toContain('[redacted]')
  await page.keyboard.press('3')
  const backups = page.locator('.guest-main .guest-rows li')
  await expect.poll(() => backups.count()).toBe(60)
  await page.getByRole('button', { name: '10 more' }).click()
  await expect.poll(() => backups.count()).toBe(70)

  await page.keyboard.press('[')
  await page.getByText('Not read: its configuration not visible to this token (it needs VM.Audit)').waitFor()
  await page.getByText('Not known yet').waitFor()
  await page.keyboard.press(']')
  await page.keyboard.press('1')
  await page.locator('[data-undo=memory]').waitFor()
  await page.keyboard.press('u')
  expect(await page.locator(':focus').getAttribute('data-undo')).toBe('memory')
  await page.keyboard.press('u')
  await page.waitForURL(/\/chat\/ses_changes/)
  expect(server.answers).toEqual([{ id: 'memory', act: 'undo' }])

  await page.goBack()
  await page.getByRole('button', { name: 'Restart, Ask, waits for you' }).click()
  await expect.poll(() => server.sent.map(({ message }) => message)).toEqual(['/restart_vm vmid=105'])

  await page.goto(`${server.url}/guest/199`)
  await page.getByRole('heading', { name: /199 oldbox was destroyed on / }).waitFor()
  await page.getByText('VM 199 "oldbox" is destroyed with its disks').waitFor()
})

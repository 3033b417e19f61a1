import { afterAll, beforeAll, expect } from 'vitest'
import { findingsInBothThemes, seriousFindings } from '../../jarvis-backend/test/support/axe.ts'
import { go } from '../../jarvis-backend/test/support/go.ts'
import { guestScene } from './scenery/scenes/guest.ts'
import { openStage, type Stage, test } from './support/browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('a guest’s page says all that is known of it; keys lead through guests and tabs, and acts send their command', async () => {
  const server = await stage.play(guestScene(Date.now()))
  const page = await stage.open(server, '/guest/105')
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
    'Disk read and write',
  ])
    expect(await main.textContent()).toContain(words)
  // A long reason leaves the sentence its room.
  expect((await main.locator('[data-change-row=restarted] .guest-change-words').boundingBox())?.width).toBeGreaterThan(
    150,
  )
  await main.getByRole('button', { name: 'Snapshot, Change, runs, is journalled' }).waitFor()
  await main.getByRole('button', { name: 'Restart, Ask, waits for you' }).waitFor()
  expect(await findingsInBothThemes(page)).toEqual([])

  await page.keyboard.press('2')
  await page.getByText('from its next stop: 8192').waitFor()
  expect(await page.locator('.guest-config').textContent()).toContain('[redacted]')
  await page.keyboard.press('3')
  const backups = page.locator('.guest-main .guest-rows li')
  await expect.poll(() => backups.count()).toBe(60)
  await page.getByRole('button', { name: '10 more' }).scrollIntoViewIfNeeded()
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
  await page.waitForURL(/\/chat\//)

  await go(page, '/guest/199')
  await page.getByRole('heading', { name: /199 oldbox was destroyed on / }).waitFor()
  await page.getByText('VM 199 "oldbox" is destroyed with its disks').waitFor()
})

test('what differs from a snapshot is listed by key; a form says what the gate says, refuses bad input, and asks once', async () => {
  const server = await stage.play(guestScene(Date.now()))
  const page = await stage.open(server, '/guest/105')
  await page.getByRole('link', { name: 'Compare', exact: true }).click()
  const since = page.getByRole('region', { name: 'Since before-1119' })
  await since.getByText('4 differences').waitFor()
  const rows = await since.locator('dl > div').allTextContents()
  expect(rows).toEqual([
    'cores- 2+ 4',
    'net0+ virtio=BC:24:11:00:00:05,bridge=vmbr0',
    'onboot- 1',
    'scsi0+ nvme-fast:vm-105-disk-0,size=320G',
  ])
  await since.getByText('Not compared, for it holds a secret: cipassword.').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.keyboard.press('1')
  await page.getByRole('link', { name: 'Compare…' }).click()
  await page.getByRole('region', { name: 'Since that change' }).getByText('1 difference').waitFor()
  expect(new URL(page.url()).searchParams.get('against')).toBe('change:stuck')

  await page.keyboard.press('1')
  // An act that cannot work rests, and says why.
  await page.getByText('Back up now: pbs-main has no room.').waitFor()
  expect(await page.getByRole('button', { name: 'Back up now' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Change config, Ask, waits for you' }).click()
  const form = page.getByRole('dialog', { name: 'Settings of 105' })
  const ask = form.getByRole('button', { name: 'Ask for it' })
  await form.getByText('Change what should be different.').waitFor()
  const memory = form.getByLabel('Memory MiB from its next stop')
  expect(await memory.inputValue()).toBe('8192')
  await memory.fill('much')
  await form.getByText('must be MiB, a whole number from 16.').waitFor()
  expect(await memory.getAttribute('aria-invalid')).toBe('true')
  expect(await ask.getAttribute('aria-disabled')).toBe('true')
  await memory.press('Enter')
  await memory.fill('4096')
  await form.getByText('memory: 4096').waitFor()
  await form.getByText('Its memory goes back to 8 GiB. The card can let it go back by itself').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  // Line breaks in a description do not break the command's line.
  await form.getByLabel('Description').fill('two\nlines "here"')
  await expect.poll(() => ask.getAttribute('aria-disabled')).toBe('false')
  expect(server.sent).toEqual([])
  await ask.click()
  await page.waitForURL(/\/chat\//)
  expect(server.sent[0]?.message).toBe(
    String.raw`/set_guest_config vmid=105 set={"memory":"4096","description":"two\nlines \"here\""}`,
  )

  await page.goBack()
  await page.getByRole('button', { name: 'Migrate, Ask, waits for you' }).click()
  const move = page.getByRole('dialog', { name: 'Move 105 from pve' })
  await move.getByRole('radio', { name: 'agent online', exact: false }).last().check()
  await move.getByText('105 uses devices of pve and cannot move.').waitFor()
  await page.keyboard.press('Escape')
  await move.waitFor({ state: 'detached' })
})

test('on a phone two acts stay at the thumb, and More holds the rest', async () => {
  const server = await stage.play(guestScene(Date.now()))
  const page = await stage.open(server, '/guest/105', { isPhone: true })
  const main = page.locator('.guest-page')
  const bar = page.locator('.guest-acts').first()
  await bar.getByRole('button', { name: 'Restart, Ask, waits for you' }).waitFor()
  expect(await bar.getByRole('button').count()).toBe(3)
  await main.locator('.chart').first().waitFor()
  // A long reason leaves the sentence its room.
  expect((await main.locator('[data-change-row=restarted] .guest-change-words').boundingBox())?.width).toBeGreaterThan(
    150,
  )
  await main.evaluate((element) => element.scrollTo(0, element.scrollHeight))
  const box = await bar.boundingBox()
  expect(box && box.y + box.height).toBeLessThanOrEqual(844)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await bar.getByRole('button', { name: 'More acts' }).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByRole('button', { name: /^Migrate/ }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await sheet.getByRole('button', { name: /^Change config/ }).click()
  const form = page.getByRole('dialog', { name: 'Settings of 105' })
  await form.getByRole('heading', { name: 'Settings of 105' }).waitFor()
  await form.getByLabel('Tags').waitFor()
})

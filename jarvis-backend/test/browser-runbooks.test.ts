import { expect } from 'vitest'
import { findingsAtNight, wear } from './support/axe.ts'
import { go, test } from './support/browser.ts'
import { useSharedChat } from './support/shared-chat.ts'

const newChat = useSharedChat({ env: { JARVIS_EMBEDDINGS: 'none' } })
/** The shared page, at a path, with a window of this height. */
async function visit(path: string, height = 900) {
  const { jarvis, page } = await newChat()
  await page.setViewportSize({ width: 1440, height })
  await go(page, path)
  return { jarvis, page }
}

const restart = `---
name: Restart a container
inputs:
  vmid: { type: guest }
---
It hangs, and a restart helps.

## 1. Which containers run
tool: get_containers
args: { status: running }
as: running

## 2. Restart it
tool: restart_container
when: $running.guests(vmid=$vmid).status = running
args: { vmid: $vmid }
verify:
  tool: get_containers
  args: {}
  until: $result.guests(vmid=$vmid).status = running
  within: 1 min
undo: none

## 3. How it is
tool: get_containers
args: { status: running }
`

test('a runbook is checked as it is typed, mended, saved, run dry and compared with another version', async () => {
  const { jarvis, page } = await visit('/automations/runbooks')
  await page.getByRole('textbox', { name: 'New runbook' }).fill('restart-it')
  await page.getByRole('button', { name: 'Write it' }).click()
  const field = page.getByRole('textbox', { name: 'Runbook', exact: true })
  const save = page.getByRole('button', { name: 'Save', exact: true })
  const run = page.getByRole('button', { name: 'Run once…' })
  await field.fill(restart.replace('tool: restart_container', 'tool: restart_containr'))
  const faults = page.getByRole('list', { name: 'Faults' })
  await faults.getByText('Line 14').waitFor()
  expect(await save.getAttribute('aria-disabled')).toBe('true')
  expect(await run.getAttribute('title')).toBe('save it first')
  await page.keyboard.press('Control+s')
  await page.keyboard.press('F8')
  expect(await field.evaluate((element: { selectionStart: number; value: string }) => element.selectionStart)).toBe(
    restart.indexOf('tool: restart_container'),
  )
  expect(await findingsAtNight(page)).toEqual([])
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/runbook-fault.png` })
  await faults.getByRole('button', { name: 'restart_container', exact: true }).click()
  await faults.getByText('Line 14').waitFor({ state: 'detached' })
  expect(await field.inputValue()).toBe(restart)
  expect((await jarvis.rest('/api/runbooks/restart-it')).status).toBe(404)
  await page.keyboard.press('Control+s')
  await expect.poll(() => run.getAttribute('aria-disabled')).toBe('false')
  expect(new URL(page.url()).search).toBe('')

  await page.getByLabel('vmid').fill('104')
  await page.keyboard.press('Control+Enter')
  const steps = page.getByRole('list', { name: 'Steps' })
  await steps.getByText('would ask').waitFor()
  expect(await steps.getByRole('listitem').count()).toBe(3)
  expect(await page.locator('.binds').textContent()).toContain('vmid')
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/runbook-dry.png` })

  // Somebody else saves meanwhile: theirs is in force, and what was typed is kept.
  await field.fill(`${restart}\n`)
  const saved = (await (await jarvis.rest('/api/runbooks/restart-it')).json()) as { hash: string }
  const theirs = restart.replace('It hangs', 'It often hangs')
  await jarvis.rest('/api/runbooks/restart-it', { method: 'PUT', json: { text: theirs, hash: saved.hash } })
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByRole('list', { name: 'Theirs and mine' }).getByText('It often hangs').waitFor()
  await page.getByRole('button', { name: 'Take theirs' }).click()
  expect(await field.inputValue()).toBe(theirs)

  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByText('on a wider screen').waitFor()
  expect(await field.getAttribute('readonly')).not.toBe(null)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
})

test('a plan is one card: every step was on screen before it is approved, and each says what was seen after it', async () => {
  const { jarvis } = await newChat()
  await jarvis.rest('/api/runbooks/restart-again', { method: 'PUT', json: { text: restart } })
  const { page } = await visit('/automations/runbooks/restart-again', 620)
  const run = page.getByRole('button', { name: 'Run once…' })
  await expect.poll(() => run.getAttribute('aria-disabled')).toBe('false')
  await page.getByLabel('vmid').fill('104')
  await run.click()
  await page.waitForURL(/\/chat\//)
  const card = page.getByRole('article', { name: 'Run this plan of 3 steps on 1 guest?' })
  await card.getByText('1 step needs you, 1 would run anyway').waitFor()
  const steps = card.getByRole('list', { name: 'Steps' }).getByRole('listitem')
  expect(await steps.count()).toBe(3)
  const second = await steps.nth(1).textContent()
  for (const words of [
    'restart_container {"vmid": 104}',
    'What ran was interrupted, and runs anew',
    'status of guest 104 is running within 1 min',
  ])
    expect(second).toContain(words)
  for (const colorScheme of ['light', 'dark'] as const) {
    await wear(page, colorScheme)
    expect(await findingsAtNight(card), colorScheme).toEqual([])
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/plan-real-${colorScheme}.png` })
  }
  const approve = card.getByRole('button', { name: 'Approve: run 2 steps' })
  // The card is higher than the window, so not all of it was on screen. Which of its steps were, the machine's pace decides.
  await card.getByRole('heading').scrollIntoViewIfNeeded()
  await steps.first().scrollIntoViewIfNeeded()
  await steps.last().scrollIntoViewIfNeeded()
  await card.locator('.plan-strip').waitFor({ state: 'detached' })
  await steps.first().focus()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  expect(await page.locator(':focus').getAttribute('data-step')).toBe('3')
  await card.locator('footer').last().scrollIntoViewIfNeeded()
  await expect.poll(() => approve.getAttribute('aria-disabled')).toBe('false')
  // It may just have moved, and has to lie still once more. What is drawn meanwhile may take the focus.
  // A letter that follows another at once is part of a word, and arms nothing.
  await expect
    .poll(
      async () => {
        await card.focus()
        await page.keyboard.press('a')
        return card.textContent()
      },
      { interval: 1_000 },
    )
    .toContain('Enter approves, Esc steps back')
  await page.keyboard.press('Enter')
  const done = page.getByRole('article', { name: /^Ran 3 of 3 steps/ })
  await done.getByText('status of guest 104 is running').waitFor()
  // Nothing was lost, so nothing warns.
  expect(await done.textContent()).toMatch(/[^.] ?Approved by operator/)
  expect(await done.textContent()).not.toContain('undone')
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/plan-real-done.png` })
})

test('a job is made with its next five times in view, run by hand to its trace, paused, and deleted', async () => {
  const { page } = await visit('/automations')
  await page.getByRole('link', { name: 'New job' }).click()
  const form = page.getByRole('form', { name: 'New job' })
  await form.getByLabel('Name').fill('evening-look')
  await form.getByLabel('Does').selectOption('call')
  const tool = form.getByRole('combobox', { name: 'Tool' })
  await tool.fill('get_contaners')
  await form.getByText('Did you mean get_containers?').waitFor()
  // The form of the tool's own arguments, with the error at the field.
  await tool.fill('stop_vm')
  const vmid = form.getByLabel('vmid')
  await vmid.fill('7')
  await expect.poll(() => vmid.getAttribute('aria-invalid')).toBe('true')
  await vmid.fill('103')
  await form.getByText('Ask: it waits for you each time.').waitFor()
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/job-tool.png` })
  await tool.fill('get_containers')
  await form.getByLabel('node').waitFor()
  await form.getByLabel('When').selectOption('By a cron line')
  await form.getByLabel('Minute, hour').fill('99 * * * *')
  await form.locator('.preview', { has: page.locator('.mark-bad') }).waitFor()
  await form.getByLabel('Minute, hour').fill('11 20 * * 1-5')
  await form.locator('.next-five li').nth(4).waitFor()
  await form.getByRole('button', { name: 'Save the job' }).click()
  await page.getByRole('heading', { name: 'evening-look' }).waitFor()
  await page.getByText('It has not run yet.').waitFor()
  await page.keyboard.press('r')
  const run = page.getByRole('region', { name: 'The run' })
  await run.getByText('get_containers').waitFor()
  await page.keyboard.press('p')
  await page.getByText('None while it is paused.').waitFor()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete the job' }).click()
  await page.getByRole('heading', { name: 'evening-look' }).waitFor({ state: 'detached' })
})

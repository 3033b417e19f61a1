import { afterAll, beforeAll, expect } from 'vitest'
import { findingsInBothThemes, seriousFindings } from '../../jarvis-backend/test/support/axe.ts'
import { automationsScene } from './scenery/scenes/automations.ts'
import { openStage, type Stage, test } from './support/browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('jobs, a trace, runbooks and windows are shown, in both themes, and on a phone nothing is cut', async () => {
  const server = await stage.play(automationsScene(Date.now()))
  const page = await stage.open(server, '/automations')
  const main = page.locator('#main')
  const list = page.getByRole('list', { name: 'Jobs' })
  await list.getByText('nightly-check').waitFor()
  for (const words of ['waits for you', 'missed', 'paused', 'every 30 min', 'not caught up: it changes'])
    expect(await list.textContent()).toContain(words)
  expect(await list.textContent()).toContain('done, done, done, failed, done')
  await list.getByRole('link', { name: /nightly-check/ }).click()
  const run = page.getByRole('region', { name: 'The run' })
  await run.getByText('restart_service').waitFor()
  for (const words of [
    'Clocks change on 25 Oct',
    'At most 20.0k tokens a day',
    'read back',
    'entry 18 193',
    'pvestatd hung',
  ])
    expect((await main.textContent())?.replace(/\s/g, ' ')).toContain(words)
  const tabs = page.getByRole('navigation', { name: 'Automations' })
  const at = async (tab: string, seen: string) => {
    await tabs.getByRole('link', { name: tab }).click()
    await main.getByText(seen).waitFor()
  }
  for (const [tab, seen] of [
    ['Runbooks', 'Finds the guest that loads a node.'],
    ['Windows', 'New switch'],
    ['Jobs', 'A job has no rights of its own'],
  ] as const) {
    await at(tab, seen)
    // Nothing of JARVIS's own looks like text that hides something.
    expect(await main.textContent()).not.toContain('U+')
    expect(await findingsInBothThemes(page), tab).toEqual([])
    const shot = async (name: string) => {
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/automations-${tab}-${name}.png` })
    }
    await shot('light')
    await page.setViewportSize({ width: 390, height: 844 })
    await main.getByText(seen).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth), tab).toBe(390)
    await shot('phone')
    await page.setViewportSize({ width: 1_440, height: 900 })
  }
})

test('jobs have a form, in which what it does not show stays; they are paused one by one, all at once, and run by hand', async () => {
  const server = await stage.play(automationsScene(Date.now()))
  const page = await stage.open(server, '/automations')
  const patched = () => server.asked.filter(({ method }) => method === 'PATCH').map(({ body }) => body)
  await page
    .getByRole('link', { name: /heartbeat/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Edit' }).click()
  const beat = page.getByRole('form', { name: 'Edit heartbeat' })
  await beat.locator('.next-five li').first().waitFor()
  await beat.getByLabel('From').fill('07:00')
  await beat.getByRole('button', { name: 'Save the job' }).click()
  await beat.getByText('Name both hours, or neither of them.').waitFor()
  await beat.getByLabel('Until').fill('23:00')
  await beat.getByLabel('A digest each day').fill('08:00')
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/automations-heartbeat.png` })
  expect(await seriousFindings(page)).toEqual([])
  await beat.getByRole('button', { name: 'Save the job' }).click()
  await expect.poll(patched).toMatchObject([
    {
      work: { kind: 'heartbeat', activeHours: '07:00-23:00', digestAt: '08:00' },
      schedule: { kind: 'interval', minutes: 30 },
    },
  ])
  await page.getByText('between 07:00 and 23:00, and once a day at 08:00').waitFor()

  await page.getByRole('link', { name: /nightly-drill/ }).click()
  await page.getByText('between 01:00 and 05:00, with at most 50.0 MiB/s of disk traffic').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  const drill = page.getByRole('form', { name: 'Edit nightly-drill' })
  await drill.locator('.next-five li').first().waitFor()
  await drill.getByLabel('From').fill('')
  await drill.getByLabel('Until').fill('')
  await drill.getByLabel('Disk traffic').fill('20000')
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/automations-drill.png` })
  await drill.getByRole('button', { name: 'Save the job' }).click()
  await expect
    .poll(() => patched()[1])
    .toMatchObject({
      work: { kind: 'drill', bwlimitKiBps: 20_000 },
      budget: { tokensPerDay: 20_000, usdPerDay: 0.5 },
    })

  // A job shows its next five runs before it is saved.
  const form = page.getByRole('form', { name: 'New job' })
  await page.getByRole('link', { name: 'New job' }).click()
  await form.waitFor()
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'New job' }).click()
  await form.getByLabel('Name').fill('evening-report')
  await form.getByLabel('Message').fill('What changed today?')
  const save = form.getByRole('button', { name: 'Save the job' })
  // Days and times are picked; a cron line is for those who want it, and stays as it was written.
  const sent = () => server.asked.filter(({ path }) => path.endsWith('/jobs/preview')).map(({ body }) => body)
  await form.getByRole('button', { name: 'Sun' }).click()
  await form.getByRole('button', { name: 'Sat' }).click()
  await form.getByLabel('At', { exact: true }).fill('07:30')
  await form.getByRole('button', { name: 'Another time' }).click()
  await expect.poll(() => sent().at(-1)).toMatchObject({ schedule: { kind: 'cron', line: '30 7,8 * * 1,2,3,4,5' } })
  for (const day of ['Mon', 'Tue', 'Wed', 'Thu', 'Fri']) await form.getByRole('button', { name: day }).click()
  await form.getByText('Pick a day.').waitFor()
  expect(await save.getAttribute('aria-disabled')).toBe('true')
  await form.getByRole('button', { name: 'Wed' }).click()
  await expect.poll(() => form.locator('.next-five li').count()).toBe(5)
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/automations-picker.png` })
  expect(await seriousFindings(page)).toEqual([])
  await form.getByLabel('When').selectOption('By a cron line')
  const line = form.getByLabel('Minute, hour')
  expect(await line.inputValue()).toBe('30 7,8 * * 3')
  await line.fill('11 20')
  await form.getByText('A cron line has five fields.').waitFor()
  expect(await save.getAttribute('aria-disabled')).toBe('true')
  await line.press('Enter')
  await line.fill('11 20 * * 1')
  await expect.poll(() => form.locator('.next-five li').count()).toBe(5)
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/automations-new.png` })
  await save.click()
  await page.getByRole('heading', { name: 'evening-report' }).waitFor()
  const made = server.asked.filter(({ path }) => path === '/api/jobs')
  expect(made).toEqual([
    {
      method: 'POST',
      path: '/api/jobs',
      body: {
        name: 'evening-report',
        work: { kind: 'prompt', text: 'What changed today?' },
        schedule: { kind: 'cron', line: '11 20 * * 1', zone: 'Europe/Berlin' },
        budget: {},
      },
    },
  ])

  await page.keyboard.press('p')
  await page.getByText('None while it is paused.').waitFor()
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  await page.keyboard.press('r')
  await expect.poll(() => server.asked.at(-1)?.path).toBe('/api/jobs/job_6/run')
  await page.getByRole('button', { name: 'Pause all…' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Pause all jobs' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Pause all…' }).click()
  await page.getByRole('button', { name: 'Pause all jobs' }).click()
  await page.getByText(/All jobs are paused by operator, since/).waitFor()
  await page.getByRole('button', { name: 'Start them again' }).click()
  await page.getByRole('button', { name: 'Pause all…' }).waitFor()
  expect(server.asked.slice(-2).map(({ path }) => path)).toEqual(['/api/jobs/stop', '/api/jobs/start'])

  await page.getByRole('link', { name: 'Windows' }).click()
  const window = page.getByRole('form', { name: 'New window' })
  await window.getByLabel('Name').fill('Patch night')
  await window.getByLabel('Objects').fill('vm/101, node/pve')
  await window.getByRole('button', { name: 'Open the window' }).click()
  await page.getByText('vm/101, node/pve').waitFor()
  // The new window may be open too: it begins with this minute.
  const ended = page.getByRole('listitem').filter({ hasText: 'New switch' })
  await ended.getByRole('button', { name: 'End now' }).click()
  await page.getByText('New switch').waitFor({ state: 'detached' })
})

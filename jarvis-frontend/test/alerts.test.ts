import { afterAll, beforeAll, expect } from 'vitest'
import { findingsInBothThemes } from '../../jarvis-backend/test/support/axe.ts'
import { alertsScene } from './scenery/scenes/alerts.ts'
import { openStage, type Stage, test } from './support/browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const shot = (name: string) => ({ path: `${process.env.SHOTS}/alerts-${name}.png` })

test('alerts stand by group, with their evidence, in both themes, and on a phone nothing is cut', async () => {
  const server = await stage.play(alertsScene(Date.now()))
  const page = await stage.open(server, '/alerts')
  const list = page.locator('.alerts-side')
  await list.getByText('Node agent is away').waitFor()
  const text = async () => (await list.textContent()) ?? ''
  for (const words of [
    'hides 4',
    '3 alerts: Guests that are not seen 140 uptime-kuma, 141 pbs, 142 win11-lab',
    'Storage pbs-main is not reachable',
    'with the one above: same node',
    '6 changes',
    'held: not seen since',
    'then it fires',
    '“ARC, expected” · back if it passes 97 %',
    '“disk is on its way”',
  ])
    await expect.poll(text).toContain(words)
  // Alerts that a person took on, hidden alerts and pending alerts do not count.
  const count = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Alerts/ })
  expect(await count.textContent()).toBe('Alerts4 need a look')
  await list.getByRole('link', { name: /pve is at 81 °C/ }).click()
  const detail = page.getByRole('region', { name: 'The alert' })
  await detail.getByText('sensors -j over SSH').waitFor()
  await detail.locator('.chart').waitFor()
  for (const words of [
    'Limit 80 °C for 5 min, clears below 75 °C.',
    '81 °C, 81 °C, 82 °C, 81 °C, 80 °C',
    '3 times in 30 d, longest 41 min',
    'root@pam · not by JARVIS',
    'the fans: this board has no sensor for them',
    '3 steps: 2 Read, 1 Ask',
    ', limit 80 °C, change 1 at ',
  ])
    expect((await detail.textContent())?.replace(/\s+/g, ' ')).toContain(words)
  expect(await findingsInBothThemes(page)).toEqual([])
  if (process.env.SHOTS) await page.screenshot(shot('light'))
  await page.setViewportSize({ width: 390, height: 844 })
  await detail.getByText('sensors -j over SSH').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  if (process.env.SHOTS) await page.screenshot(shot('phone'))
})

test('keys ask why, acknowledge and silence; the history is read to its end; a check is switched off', async () => {
  const server = await stage.play(alertsScene(Date.now()))
  const page = await stage.open(server, '/alerts?alert=hot')
  const detail = page.getByRole('region', { name: 'The alert' })
  await detail.getByText('sensors -j over SSH').waitFor()
  await page.keyboard.press('x')
  await page.locator('.sub-head:focus').waitFor()
  // Escape closes the form from within its field, and leaves the focus beside it.
  await page.keyboard.press('e')
  await detail.getByLabel('Note').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await detail.getByLabel('Note').waitFor({ state: 'detached' })
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('alert-acts')
  await page.keyboard.press('e')
  await page.getByLabel('Note').fill('fan is on its way')
  await page.getByLabel('Back if it passes').fill('85')
  await page.keyboard.press('Enter')
  await detail.getByText('“fan is on its way”').waitFor()
  // The form had the focus, and is gone.
  await page.locator('.alert-acts:focus').waitFor()
  await detail.getByRole('button', { name: 'Take the acknowledgement back' }).click()
  await detail.getByRole('button', { name: 'Acknowledge…' }).waitFor()
  await page.keyboard.press('s')
  await page.getByLabel('Why', { exact: true }).fill('known')
  await page.keyboard.press('Enter')
  await detail.getByRole('button', { name: 'End the silence' }).waitFor()
  const asked = server.asked.map(({ path, body }) => [path, body])
  expect(asked).toEqual([
    ['/api/alerts/hot/acknowledge', { note: 'fan is on its way', untilValue: 85 }],
    ['/api/alerts/hot/unacknowledge', undefined],
    ['/api/alerts/hot/silence', { note: 'known', until: expect.any(Number) }],
  ])

  // The letter after `g` belongs to the page.
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await page.getByRole('heading', { name: 'Waiting' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await page.waitForURL('**/alerts')
  await page.locator('.alert-row[aria-current=true]', { hasText: 'Node agent is away' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  expect(await page.locator(':focus').textContent()).toContain('3 alerts')

  const shown = page.getByRole('navigation', { name: 'Alerts shown' })
  await shown.getByRole('link', { name: 'History' }).click()
  await page.getByText('Certificate 1 of caddy').waitFor()
  const side = page.locator('.alerts-side')
  // Each end of what is there brings the next fifty.
  await expect
    .poll(async () => {
      await side.evaluate((element) => element.scrollTo(0, element.scrollHeight))
      return await side.textContent()
    })
    .toMatch(/(Certificate|was) 179 /)
  // Only those near the screen are drawn.
  expect(await side.locator('.alert-row').count()).toBeLessThan(90)
  await side.evaluate((element) => element.scrollTo(0, 0))
  await page.getByLabel('Check').selectOption({ label: 'Clock of a node' })
  await page.getByRole('button', { name: 'Narrow' }).click()
  await page.waitForURL(/check=clock/)
  // The clock stood there before, between the certificates.
  await side.getByText('Certificate 1 of caddy').waitFor({ state: 'detached' })
  await page.getByText('The clock of Home was 0 s off').waitFor()
  expect(await side.getByText('Certificate').count()).toBe(0)

  await shown.getByRole('link', { name: 'Checks' }).click()
  await page.getByText('JARVIS has no SSH on Home: it needs it for corosync-cfgtool.').waitFor()
  await page.getByRole('button', { name: 'Switch Clock of a node off' }).click()
  await page.getByRole('button', { name: 'Switch Clock of a node on' }).waitFor()
})

test('a viewer of a quiet cluster reads that nothing fires', async () => {
  const server = await stage.play({ ...alertsScene(Date.now()), watch: { alerts: [] } })
  const page = await stage.open(server, '/alerts', { role: 'viewer' })
  await page.getByText('Nothing fires. 25 checks,').waitFor()
})

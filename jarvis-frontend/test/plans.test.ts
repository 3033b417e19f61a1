import { afterAll, beforeAll, expect } from 'vitest'
import { findingsInBothThemes, seriousFindings } from '../../jarvis-backend/test/support/axe.ts'
import { plansScene } from './scenery/scenes/plans.ts'
import { openStage, type Stage, test } from './support/browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('each state of a plan says what is known of it, and a running one is stopped after its step', async () => {
  const server = await stage.play(plansScene(Date.now()))
  const page = await stage.open(server, '/chat/ses_plans', { height: 5_600 })
  const card = (id: string) => page.locator(`#card-${id}`)
  for (const [id, heading, words] of [
    ['running', 'Running plan 8c1e: step 3 of 5', 'seen running'],
    ['asks', 'Plan 8c1e holds at step 4 of 5', 'the approval of the plan does not count for it'],
    ['lost', 'Plan 8c1e stopped at step 4 of 5', 'It is not known whether step 4 ran.'],
    ['surprise', 'Plan 8c1e stopped at step 2 of 5', 'the snapshot is not listed'],
    ['done', /Ran 5 of 5 steps in 14 min/, '1 step cannot be undone. Approved by mira'],
    ['denied', 'Did not run a plan of 5 steps', 'Backups first, frigate tonight.'],
    ['expired', 'Did not run a plan of 5 steps', 'Nobody decided'],
    ['twenty', 'Run this plan of 20 steps on 3 guests?', '12 steps need you, 8 would run anyway'],
  ] as const) {
    await card(id).getByRole('heading', { name: heading }).waitFor()
    await expect.poll(() => card(id).textContent()).toContain(words)
  }
  // A card that ended offers nothing that runs; an unknown step is looked at again, and never run again.
  for (const id of ['lost', 'surprise', 'done', 'denied'])
    expect(
      await card(id)
        .getByRole('button', { name: /Approve|Stop|Retry/ })
        .count(),
      id,
    ).toBe(0)
  await card('lost')
    .getByRole('button', { name: /again|Check/i })
    .waitFor()
  expect(await findingsInBothThemes(page)).toEqual([])
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/plan-states-light.png` })
  await card('back').getByText('memory is 6 GiB now, not 4.').waitFor()
  const compare = card('back').getByRole('link', { name: 'Compare…' })
  await expect.poll(() => compare.getAttribute('href')).toBe('/guest/123?tab=config&against=change%3Astuck')
  // The card of a step stands inside its plan's card, and only there.
  await card('asks').getByRole('article', { name: 'Restart VM 123 frigate on pve?' }).waitFor()
  expect(await page.locator('#card-s4').count()).toBe(1)
  // The model's own words stand above the trusted area, as they are.
  const goal = page.getByText('Make it <b>fast</b>. The operator approved it.')
  expect(await goal.count()).toBe(1)
  expect(await card('twenty').getByText('The operator approved it.').count()).toBe(0)
  // Its list stands beside the chat.
  const list = page.getByRole('complementary').getByRole('region', { name: 'Its list, 1 of 3 done' })
  expect(await list.getByRole('listitem').allTextContents()).toEqual([
    'done: Look at pve',
    'being done: Fix frigate',
    'open: Look again',
  ])
  // A plan is taken back by a plan, which asks with a card of its own.
  await card('done').getByRole('button', { name: 'Undo…' }).click()
  await expect.poll(() => server.sent.map(({ message }) => message)).toEqual(['/undo_plan plan="done"'])
  await card('running').getByRole('button', { name: 'Stop after step 3' }).click()
  await expect.poll(() => server.asked.map(({ path }) => path)).toEqual(['/api/plans/running/stop'])
})

test('on a phone a plan of twenty steps is approved once each was on screen, over acts that stay', async () => {
  const server = await stage.play(plansScene(Date.now()))
  const page = await stage.open(server, '/chat/ses_plans', { isPhone: true })
  const card = page.locator('#card-twenty')
  const approve = card.getByRole('button', { name: 'Approve: run 20 steps' })
  await page.getByText('Its list, 1 of 3 done').waitFor()
  await card.locator('.plan-strip').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  expect(await seriousFindings(page)).toEqual([])
  await card.getByRole('heading').scrollIntoViewIfNeeded()
  for (let number = 1; number <= 20; number++) {
    // Neighbours are on screen too: the last may have been seen already.
    if (number < 15) expect(await approve.getAttribute('aria-disabled')).toBe('true')
    await card.locator(`[data-step="${number}"]`).evaluate((step) => step.scrollIntoView({ block: 'center' }))
    await card.locator(`.strip-tiers > .was-seen:nth-child(${number})`).waitFor()
    if (number === 3 && process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/plan-phone.png` })
  }
  await card.getByText('20 of 20 seen').waitFor()
  await card.locator('.plan-foot').scrollIntoViewIfNeeded()
  await page.locator('.stream').evaluate((stream) => stream.scrollTo(0, stream.scrollHeight))
  await expect.poll(() => approve.getAttribute('aria-disabled')).toBe('false')
  await approve.tap()
  await expect.poll(() => server.decisions).toMatchObject([{ toolUseId: 'twenty', confirmed: true }])
})

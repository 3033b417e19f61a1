import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { seriousFindings } from '../../jarvis-backend/test/support/axe.ts'
import { unknown } from './scenery/scenes/unknown.ts'
import { openStage, type Stage, test } from './support/browser.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

const path = '/chat/ses_unknown'
const cardOf = (page: Page) => page.locator('#card-u1')
const answer = (status: number, body: unknown) => async () => ({ status, body })

test('a card whose outcome nobody knows says so, looks again in place, and settles once it is known', async () => {
  const server = await stage.play(unknown(Date.now()))
  const page = await stage.open(server, path)
  const card = cardOf(page)
  await card.getByText('I do not know whether this ran. 122 is running, for 5 d.').waitFor()
  await card.getByText('It is never run again by itself.').waitFor()

  let found = () => {}
  // Made before it is asked for: the page says that it asks before the request has arrived.
  const answered = new Promise<{ status: number; body: unknown }>((resolve) => {
    found = () => resolve({ status: 200, body: { outcome: 'unknown', text: '122 is running, for 2 min.' } })
  })
  server.behaviour.answersCheck = () => answered
  await card.getByRole('button', { name: 'Check again' }).click()
  await card.getByText('Asking the cluster what became of it. Nothing is run.').waitFor()
  await card.getByRole('button', { name: 'Checking…' }).click({ force: true })
  found()
  await card.getByText(/Looked again at \d\d:\d\d: 122 is running, for 2 min\./).waitFor()
  expect(server.checked).toEqual(['u1'])
  expect(await seriousFindings(page)).toEqual([])

  await card.getByRole('button', { name: 'Check again' }).focus()
  server.append('ses_unknown', {
    type: 'reconciled',
    toolUseId: 'u1',
    toolName: 'restart_container',
    outcome: 'done',
    text: 'Task OK, 122 seen running.',
  })
  await card.getByText('Task OK, 122 seen running.').waitFor()
  expect(await card.getByRole('button').count()).toBe(0)
  expect(await page.locator(':focus').getAttribute('id')).toBe('card-u1')
  expect(server.sent).toEqual([])
})

test('an opened change offers the same, and keeps the focus on its row once it is known', async () => {
  const server = await stage.play(unknown(Date.now()))
  const page = await stage.open(server, path)
  // A refused look is said in words.
  for (const [code, status, message] of [
    ['already_decided', 409, 'The outcome of this call is known.'],
    ['not_found', 404, 'This call never started.'],
  ] as const) {
    server.behaviour.answersCheck = answer(status, { error: { code, message } })
    await cardOf(page).getByRole('button', { name: 'Check again' }).click()
    await cardOf(page).getByText(`${message} Nothing was run.`).waitFor()
    await cardOf(page).getByRole('button', { name: 'Check again' }).waitFor()
  }
  const row = page.getByRole('article', { name: 'Change, wake_node, unknown' })
  await row.getByText('I do not know whether this ran. agent is offline.').waitFor()
  await row.getByRole('button').click()
  server.behaviour.answersCheck = answer(200, { outcome: 'unknown', text: 'agent is still offline.' })
  await row.getByRole('button', { name: 'Check again' }).click()
  await row.getByText(/Looked again at .*: agent is still offline\./).waitFor()

  await row.getByRole('button', { expanded: true }).click()
  await row.getByRole('button', { expanded: false }).click()
  await row.getByText('agent is still offline.').waitFor()

  await row.getByRole('button', { name: 'Check again' }).focus()
  server.append('ses_unknown', {
    type: 'reconciled',
    toolUseId: 'u2',
    toolName: 'wake_node',
    outcome: 'failed',
    text: 'agent never came up.',
  })
  const settled = page.getByRole('article', { name: 'Change, wake_node, failed' })
  await settled.getByText('agent never came up.').waitFor()
  expect(await settled.getByText('I do not know').count()).toBe(0)
  expect(await page.locator(':focus').getAttribute('aria-expanded')).toBe('true')

  // Without a link the look rests, and says why.
  await server.close()
  await cardOf(page).getByText('No connection: it can be checked when it is back.').waitFor()
  expect(await cardOf(page).getByRole('button', { name: 'Check again' }).getAttribute('aria-disabled')).toBe('true')
})

test('a viewer reads what is unknown and who can look again', async () => {
  const server = await stage.play(unknown(Date.now()))
  const page = await stage.open(server, path, { role: 'viewer' })
  await cardOf(page).getByText('An operator can check again.').waitFor()
  expect(await page.getByRole('button', { name: 'Check again' }).count()).toBe(0)
})

import { expect } from 'vitest'
import { go, say, test, useBrowser } from './support/browser.ts'
import { calls, says } from './support/scripted-model.ts'
import { useSharedChat } from './support/shared-chat.ts'

const { operator } = useBrowser()
const newChat = useSharedChat({ env: { JARVIS_EMBEDDINGS: 'none' } })
const questions = [
  {
    question: 'Where should the backups go?',
    options: [{ label: 'pbs-main', note: 'as always' }, { label: 'tank-nfs' }],
  },
  { question: 'When may frigate be away?' },
]
const asks = calls(['ask_operator', { questions }])

test('a question is answered with the keys, and stays as one line', async () => {
  const { page } = await newChat(asks, says('So be it.'))
  await say(page, 'Ask me.')
  const card = page.getByRole('article', { name: 'Question from main' })
  await card.getByRole('group', { name: /Where should the backups go/ }).waitFor()
  // It is spoken once, after any card.
  await page.getByRole('status').filter({ hasText: 'Question. main asks: Where should the backups go?' }).waitFor()
  // Nothing is chosen before a person does.
  expect(await card.getByRole('radio', { checked: true }).count()).toBe(0)
  await page.getByRole('link', { name: /^Waiting 1 waits$/ }).waitFor()
  await card.getByRole('radio', { name: /pbs-main/ }).focus()
  await page.keyboard.press('2')
  await card.getByRole('radio', { name: 'tank-nfs', checked: true }).waitFor()
  await card.getByRole('textbox').fill('After 23:00')
  await page.keyboard.press('Control+Enter')
  const ended = page.getByRole('note').filter({ hasText: 'main asked' })
  await ended.waitFor()
  expect(await ended.textContent()).toContain('tank-nfs, “After 23:00”')
  await page.getByText('So be it.', { exact: true }).waitFor()
  await card.waitFor({ state: 'detached' })
})

test('own words in the field of the chat answer it, also where another screen shows it', async () => {
  const { jarvis, page } = await newChat(asks, says('So be it.'))
  await say(page, 'Ask me.')
  await page.getByRole('article', { name: 'Question from main' }).waitFor()
  const other = await operator(jarvis, {}, '/waiting')
  const card = other.getByRole('article', { name: 'Question from main' })
  await card.getByRole('radio', { name: 'tank-nfs' }).waitFor()
  await page.getByPlaceholder('Or answer in your own words').fill('Neither of them.')
  await page.keyboard.press('Enter')
  await page.getByRole('note').filter({ hasText: '“Neither of them.”' }).waitFor()
  await other.getByRole('note').filter({ hasText: 'on another screen' }).waitFor()
  await page.getByText('So be it.', { exact: true }).waitFor()
})

test('a question counts as a card does, and every place shows the same number', async () => {
  const { jarvis, page } = await newChat(asks)
  await say(page, 'Ask me.')
  await page.getByRole('article', { name: 'Question from main' }).waitFor()
  await (await jarvis.connect()).ask('chat:send', { message: '/stop_container vmid=110' })
  await page.getByRole('link', { name: /^Waiting 2 wait$/ }).waitFor()
  await page.getByRole('link', { name: '2 waiting', exact: true }).waitFor()
  await expect.poll(() => page.title()).toMatch(/^\(2\) /)
  // Ctrl . goes from the one to the other.
  const question = page.getByRole('article', { name: 'Question from main' })
  await page.keyboard.press('Control+.')
  await page.locator('article:focus').and(question).waitFor()
  await page.keyboard.press('Control+.')
  await page.getByRole('article', { name: 'Stop CT 110 pihole on Home?' }).waitFor()
  await go(page, '/')
  await page.getByText('2 things wait for you.').waitFor()
  await go(page, '/waiting')
  const waiting = page.locator('.inbox li')
  await expect.poll(() => waiting.count()).toBe(2)
  expect(await waiting.last().textContent()).toContain('Where should the backups go? and 1 more')
  await page.keyboard.press('j')
  await question.waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('link', { name: /^Waiting 2 wait$/ }).waitFor()
  await page.getByText('2 things', { exact: true }).waitFor()
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('a denial names another call, which runs and is told to the model', async () => {
  const { jarvis, page } = await newChat(calls(['stop_vm', { vmid: 101 }]), says('As you wish.'))
  await say(page, 'Stop 101.')
  await page.getByRole('button', { name: 'Deny…' }).click()
  await page.getByRole('button', { name: 'Another call instead…' }).click()
  const field = page.getByLabel('A call of yours instead')
  await field.fill('get_node_status {"node":')
  await page.getByRole('button', { name: 'Deny and run mine' }).click()
  await page.getByRole('alert').filter({ hasText: 'must be JSON' }).waitFor()
  await field.fill('get_node_status {"node": "pve"}')
  await page.getByRole('button', { name: 'Deny and run mine' }).click()
  await page.getByRole('article', { name: 'Read, get_node_status, done' }).waitFor()
  await page.getByText('As you wish.', { exact: true }).waitFor()
  expect(jarvis.guest(101)?.status).toBe('running')
})

import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect } from 'vitest'
import { dashboardDir, go, say, test, useBrowser } from './support/browser.ts'
import { folder } from './support/data-dir.ts'
import { watchedMcp } from './support/mcp-client.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { useSharedChat } from './support/shared-chat.ts'
import { startJarvis } from './support/start-jarvis.ts'

const { operator } = useBrowser()
const newChat = useSharedChat()

test('by keyboard alone a call is approved with a grant, runs unasked under it, and asks again once the grant is revoked', async () => {
  const restart = calls(['restart_vm', { vmid: 103 }])
  const { jarvis, page, effects } = await newChat(restart, says('First.'), restart, says('Second.'), restart)
  await say(page, 'Restart truenas.')
  await page.getByRole('button', { name: 'Allow for…' }).press('Enter')
  await page.getByRole('radio', { name: '30 min' }).press('ArrowRight')
  expect(await page.getByRole('radio', { name: '2 h' }).isChecked()).toBe(true)
  const approve = page.getByRole('button', { name: /^Approve and allow 3 until \d\d:\d\d$/ })
  await approve.and(page.locator('[aria-disabled=false]')).press('Enter')
  expect(effects()).toEqual([])
  // Long enough for the list of what was decided to be read while it still runs.
  jarvis.controls.slowNextCall(1_000)
  await page.keyboard.press('Enter')
  await page.getByText('First.', { exact: true }).waitFor()

  await say(page, 'Again.')
  await page.getByText('Second.', { exact: true }).waitFor()
  expect(effects()).toHaveLength(2)

  await page.getByRole('link', { name: 'ran under a grant, 2 left' }).press('Enter')
  const granted = page.locator('li[aria-current=true]').filter({ hasText: 'restart_vm on 103' })
  await granted.getByText('2 left', { exact: true }).waitFor()
  await page.getByRole('link', { name: /^Restarted VM 103 .*approved by operator, done$/ }).waitFor()
  await granted.getByText('{"vmid": 103}').waitFor()
  await granted.getByRole('button', { name: 'Revoke' }).press('Enter')
  await granted.waitFor({ state: 'detached' })
  await page.getByText('That grant is over: used up, out of time or revoked.').waitFor()

  await page.goBack()
  await say(page, 'And again.')
  await page.getByRole('button', { name: /^Approve: restart 103/ }).waitFor()
  expect(effects()).toHaveLength(2)
})

test('a guest that changed while its card waited gets a new card with the difference', async () => {
  const { jarvis, page, effects } = await newChat(calls(['stop_container', { vmid: 105 }]), says('Later, then.'))
  await say(page, 'Stop immich.')
  await page.getByRole('button', { name: 'Approve: stop 105' }).waitFor()
  jarvis.controls.beginWork(105, 'vzdump', 'backup')
  await page.getByRole('button', { name: 'I have read it' }).click()
  await page.getByRole('button', { name: 'Approve: stop 105' }).click()

  await page.getByText('Changed while it waited.').waitFor()
  const card = page.getByRole('article').filter({ hasText: 'Asked anew, for it changed' })
  await card.getByText('105 is locked (backup): a backup of it is running').first().waitFor()
  await card.getByRole('button', { name: 'Deny…' }).click()
  await card.getByRole('button', { name: 'Deny and say so' }).click()
  await page.getByText('Later, then.', { exact: true }).waitFor()
  expect(effects()).toEqual([])
})

test('a rehearsal is turned on in the head of a session, seen, and ended', async () => {
  const stop = calls(['stop_vm', { vmid: 103 }])
  const { page, effects } = await newChat(says('At your service.'), stop, says('So it would be.'), stop)
  await say(page, 'Hello.')
  await page.getByText('At your service.', { exact: true }).waitFor()
  await page.locator('.head').first().hover()
  await page.getByRole('button', { name: 'Rehearse' }).click()
  await page.getByText('What would change something only says what it would do.').waitFor()
  await say(page, 'Stop truenas.')
  await page.getByText('So it would be.', { exact: true }).waitFor()
  await page.getByText(/^Rehearsal, nothing was run:/).waitFor()
  expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0)

  await page.getByRole('button', { name: 'End it' }).click()
  await page.getByText('What would change something').waitFor({ state: 'detached' })
  await say(page, 'Now really.')
  await page.getByRole('button', { name: 'Approve: stop 103' }).waitFor()
  expect(effects()).toEqual([])
})

test('a card says all that makes its call risky', async () => {
  const { jarvis, page } = await newChat(calls(['stop_container', { vmid: 110 }]))
  jarvis.controls.tagGuest(110, ['dns', 'group-dns'])
  await say(page, 'Stop pihole.')
  const card = page.getByRole('article').filter({ has: page.getByRole('heading', { name: /Stop CT 110/ }) })
  await card.getByText('110 "pihole": by its name it is the DNS').waitFor()
  await card.getByText('It is the last running one of the group dns: there is no other').waitFor()
  await card.getByText(/^Running for 41 d, CPU \d+ %, last backup .* old/).waitFor()
})

test('where cards were lost, the page of waiting cards says so', async () => {
  const dataDir = folder()
  const before = await startJarvis({ dataDir, model: scripted(calls(['stop_vm', { vmid: 103 }])) })
  const first = await before.connect()
  await first.ask('chat:send', { message: 'Stop 103.' })
  await first.next('chat:confirm_needed')
  await before.stop()
  const sql = new Sqlite(join(dataDir, 'jarvis.db'))
  sql.exec('DELETE FROM confirmations; DELETE FROM runs')
  sql.close()

  const jarvis = await startJarvis({ dataDir, dashboardDir, env: { JARVIS_EMBEDDINGS: 'none' } })
  const page = await operator(jarvis, {}, '/waiting')
  await page.getByText('A card that waited is gone.').waitFor()
  await page.getByText('Nothing waits for you.').first().waitFor()
})

test('a client’s denied call is taken back on the page Waiting, and what a node is for is named in Settings', async () => {
  const jarvis = await startJarvis({ dashboardDir })
  const page = await operator(jarvis)
  const { client, operator: screen } = await watchedMcp(jarvis, 'laptop')
  const first = client.callTool({ name: 'stop_vm', arguments: { vmid: 103 } })
  const { toolUseId, sessionId } = await screen.next('chat:confirm_needed')
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await first
  await go(page, '/waiting')
  await page.getByRole('button', { name: 'Take back' }).press('Enter')
  await page.getByRole('heading', { name: 'Refused for now' }).waitFor({ state: 'detached' })
  const again = client.callTool({ name: 'stop_vm', arguments: { vmid: 103 } })
  const asked = await screen.next('chat:confirm_needed')
  await screen.ask('chat:confirm', { sessionId, toolUseId: asked.toolUseId, confirmed: false })
  await again

  await go(page, '/settings/nodes')
  await page.getByLabel('agent', { exact: true }).fill('backups')
  await page.getByRole('button', { name: 'Keep these names' }).press('Enter')
  await page.getByText('Kept.', { exact: true }).waitFor()
  await go(page, '/cluster')
  await page.getByText('backups', { exact: true }).first().waitFor()
})

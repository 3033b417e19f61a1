import { expect } from 'vitest'
import { dashboardDir, test, useBrowser } from './support/browser.ts'
import { joined } from './support/people.ts'
import { calls, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const { operator } = useBrowser()

test('lists, the head and a waiting card name the person whose conversation it is; on a phone the menu offers the model', async () => {
  const model = scripted(calls(['stop_vm', { vmid: 103 }]))
  const jarvis = await startJarvis({ dashboardDir, model, env: { JARVIS_EMBEDDINGS: 'none', JARVIS_TITLES: 'off' } })
  const { token } = await joined(jarvis, 'Mira', 'operator')
  const mira = await jarvis.connect('/chat', 'operator', token)
  const { sessionId } = await mira.ask('chat:send', { message: 'Stop truenas.' })
  await mira.next('chat:confirm_needed')

  const page = await operator(jarvis, {}, `/chat/${sessionId}`)
  await page.locator('.head').getByText('of Mira').waitFor()
  await page
    .getByRole('navigation', { name: 'Sessions' })
    .getByRole('link', { name: /Stop truenas.*of Mira/ })
    .waitFor()
  await page.goto(`${jarvis.url}/sessions`)
  await page
    .getByRole('main')
    .getByRole('link', { name: /Stop truenas.*of Mira/ })
    .waitFor()
  await page.goto(`${jarvis.url}/waiting`)
  await page.getByRole('link', { name: /Stop VM 103.*for Mira/ }).waitFor()

  const phone = await operator(jarvis, { viewport: { width: 390, height: 844 } }, `/chat/${sessionId}`)
  // The address names the card once it is there, which closes a menu.
  await phone
    .getByRole('button', { name: /^Approve/ })
    .first()
    .waitFor()
  await phone.waitForLoadState('networkidle')
  await phone.getByRole('button', { name: 'Menu' }).click()
  await phone.getByRole('button', { name: /^Model: / }).click()
  await phone.getByRole('group', { name: /One model is configured/ }).waitFor()
  expect(await phone.locator('.menu').count()).toBe(0)
})

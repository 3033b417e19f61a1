import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { findingsAtNight } from './support/axe.ts'
import { dashboardDir, go, say, test, useBrowser } from './support/browser.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { withAuthenticator } from './support/virtual-authenticator.ts'

const { operator } = useBrowser()

/** A server whose cards must be signed, and a model that restarts guest 103 at each message. */
async function start(): Promise<TestJarvis> {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-signed-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  writeFileSync(join(dataDir, 'policy.yaml'), 'proof: passkey\n')
  const restart = calls(['restart_vm', { vmid: 103 }])
  const model = scripted(restart, says('First.'), restart, says('Second.'))
  return startJarvis({ dashboardDir, dataDir, model, env: { JARVIS_EMBEDDINGS: 'none' } })
}

const approve = (page: Page) => page.getByRole('button', { name: /^Approve: restart 103/ })
const signs = (page: Page) => page.locator('.card .signs')

test('a person without a passkey reads what to do, adds one, and signs an approval with it', async () => {
  const jarvis = await start()
  const url = jarvis.url.replace('127.0.0.1', 'localhost')
  const page = await operator({ ...jarvis, url })
  const authenticator = await withAuthenticator(page)
  await say(page, 'Restart truenas.')
  await signs(page).getByText('You have none yet').waitFor()
  await approve(page).click()
  await page.getByRole('alert').getByText('You have no passkey yet.').waitFor()
  expect(await findingsAtNight(page.locator('.card').first())).toEqual([])

  const chat = new URL(page.url()).pathname
  await signs(page).getByRole('link', { name: 'add one' }).click()
  const part = page.getByRole('region', { name: 'People and devices', exact: true })
  await part.getByLabel('Name of the passkey').fill('Pixel')
  await part.getByRole('button', { name: 'Add a passkey…' }).click()
  await part.getByRole('list', { name: 'Your passkeys' }).getByText('Pixel').waitFor()
  // Signs in with it: the authenticator answers what the browser offers in the fields.
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await part.getByText('this one, passkey').waitFor()

  await go(page, chat)
  await signs(page).getByText('Your passkey signs this approval.').waitFor()
  // Another person holds the device.
  await authenticator.verifies(false)
  await approve(page).click()
  await page.getByRole('alert').getByText('Nothing was signed, so nothing was decided. The card waits.').waitFor()
  expect(jarvis.controls.effects).toEqual([])
  await authenticator.verifies(true)
  await page.getByRole('button', { name: 'Allow for…' }).click()
  await page.getByRole('button', { name: /^Approve and allow 3 until/ }).click()
  await page.getByText('First.', { exact: true }).waitFor()
  await page.getByText('Approved by operator, signed.').waitFor()
  expect(jarvis.controls.effects).toHaveLength(1)

  await go(page, '/journal')
  await page.getByRole('button', { name: 'Signed', exact: true }).click()
  await page.waitForURL('**/journal?signed=true')
  const entry = page.getByRole('button', { name: /restart_vm/ })
  await entry.click()
  const signature = page.getByRole('region', { name: 'Signature' }).first()
  await signature.getByText('operator signed: approved').waitFor()
  await signature.getByText('Holds, checked in this browser').waitFor()
  expect(await findingsAtNight(signature)).toEqual([])
})

test('at an address without passkeys a card says where to open it, and can be denied', async () => {
  const jarvis = await start()
  const page = await operator(jarvis)
  await say(page, 'Restart truenas.')
  await signs(page)
    .getByText(`Open ${jarvis.url.replace('127.0.0.1', 'localhost')} and sign in there once more.`)
    .waitFor()
  await approve(page).click()
  await page
    .getByRole('alert')
    .getByText(/no passkey yet|Open http:\/\/localhost/)
    .waitFor()
  expect(jarvis.controls.effects).toEqual([])
  await page.getByRole('button', { name: 'Deny…' }).click()
  await page.getByRole('button', { name: 'Deny and say so' }).click()
  await page.getByText('First.', { exact: true }).waitFor()
  expect(jarvis.controls.effects).toEqual([])
})

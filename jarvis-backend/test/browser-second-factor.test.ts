import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { authenticatorApp } from './support/authenticator-app.ts'
import { findingsAtNight } from './support/axe.ts'
import { dashboardDir, test, useBrowser } from './support/browser.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { password, startJarvis } from './support/start-jarvis.ts'

const { operator } = useBrowser()
const codeLabel = 'Code of your app, or a recovery code'

/** Signs out, and in again as far as the code is asked for. */
async function upToTheCode(page: Page) {
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel(codeLabel).waitFor()
}

test('a person turns a second factor on, signs in with a code of it, and without the phone with a recovery code', async () => {
  const clock = createSkippingClock()
  const jarvis = await startJarvis({ dashboardDir, clock, env: { JARVIS_EMBEDDINGS: 'none' } })
  const page = await operator(jarvis, {}, '/settings/people')
  const part = page.getByRole('region', { name: 'People and devices', exact: true })
  await part.getByText('Off: your password alone signs you in.').waitFor()
  await part.getByRole('button', { name: 'Turn it on…' }).click()
  await part.getByRole('img', { name: /^QR code of the secret/ }).waitFor()
  const app = authenticatorApp((await part.locator('.seed code').innerText()).replace(/\s/g, ''))
  expect(await findingsAtNight(part)).toEqual([])
  const code = part.getByLabel('The code that it shows')
  const confirm = part.getByRole('button', { name: 'Turn it on', exact: true })
  await code.fill('12')
  await confirm.click()
  await part.getByText('The code is wrong.').waitFor()
  await code.fill(app.codeAt(clock.now()))
  await confirm.click()
  const codes = (await part.locator('.once code').innerText()).split(/\s+/)
  expect(codes).toHaveLength(10)
  await part.getByText('10 recovery codes left.').waitFor()
  expect(await findingsAtNight(part)).toEqual([])
  await part.getByRole('button', { name: 'I have them' }).click()
  await part.locator('.once').waitFor({ state: 'detached' })

  await upToTheCode(page)
  clock.skip(30_000)
  const wrong = ['000000', '111111', '222222', '333333'].find((one) => one !== app.codeAt(clock.now())) ?? ''
  await page.getByLabel(codeLabel).fill(wrong)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('The code is wrong.').waitFor()
  await page.getByLabel(codeLabel).fill(app.codeAt(clock.now()))
  await page.getByRole('button', { name: 'Sign in' }).click()
  const devices = part.getByRole('list', { name: 'Where you are signed in' })
  await devices.getByText('this one, password and code').waitFor()

  await upToTheCode(page)
  await page.getByLabel(codeLabel).fill(codes[2] ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await devices.getByText('this one, password and recovery code').waitFor()
  await part.getByText('9 recovery codes left.').waitFor()
  await part.getByRole('button', { name: 'Turn off the second factor…' }).click()
  await part.getByRole('button', { name: 'Turn off the second factor', exact: true }).click()
  // The password is asked for again, and a code beside it.
  clock.skip(30_000)
  const dialog = page.getByRole('dialog', { name: 'Password' })
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await dialog.getByLabel(codeLabel).fill(app.codeAt(clock.now()))
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await part.getByText('Off: your password alone signs you in.').waitFor()
})

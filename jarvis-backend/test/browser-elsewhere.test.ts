import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findingsAtNight } from './support/axe.ts'
import { dashboardDir, test, useBrowser } from './support/browser.ts'
import { type Claims, envOf, startIdentityService } from './support/identity-service.ts'
import { startJarvis } from './support/start-jarvis.ts'

const { person, operator } = useBrowser()
const enter = (page: Page) => page.getByRole('button', { name: 'Sign in with Home ID' })

test('somebody links an account and signs in with it; an account of nobody waits until an owner lets it in', async () => {
  const who: { now: Claims } = { now: { sub: 'mira-1', name: 'Mira' } }
  const redirectUris: string[] = []
  const issuer = await startIdentityService(who, redirectUris)
  const jarvis = await startJarvis({ dashboardDir, env: { ...envOf(issuer), JARVIS_EMBEDDINGS: 'none' } })
  redirectUris.push(`${jarvis.url}/api/auth/oidc/callback`)
  const page = await operator(jarvis, {}, '/settings/people')
  const part = page.getByRole('region', { name: 'People and devices', exact: true })
  await part.getByRole('button', { name: 'Link an account of Home ID…' }).click()
  await part.getByRole('list', { name: 'Linked accounts' }).getByText('Mira', { exact: true }).waitFor()
  expect(await findingsAtNight(part)).toEqual([])
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/elsewhere-linked.png` })

  // Where an answer of the service leads that came too late.
  await page.goto(`${jarvis.url}/?from=elsewhere`)
  await part.getByRole('alert').getByText('This page did not begin that. Try again here.').waitFor()
  expect(new URL(page.url())).toMatchObject({ pathname: '/settings/people', search: '', hash: '' })

  const mira = await person(jarvis)
  await enter(mira).click()
  await mira.getByRole('textbox', { name: 'Message' }).waitFor()
  expect(new URL(mira.url()).search).toBe('')

  who.now = { sub: 'ann-1', name: 'Ann', email: 'ann@example.org' }
  const ann = await person(jarvis)
  await enter(ann).click()
  await ann.getByRole('alert').getByText('nobody’s here yet').waitFor()
  if (process.env.SHOTS) await ann.screenshot({ path: `${process.env.SHOTS}/elsewhere-waits.png` })
  await page.goto(`${jarvis.url}/settings/people`)
  const form = part.getByRole('form', { name: 'Let Ann in' })
  await form.getByLabel('Name here').fill('ann')
  expect(await findingsAtNight(form)).toEqual([])
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/elsewhere-list.png` })
  await form.getByRole('button', { name: 'Let in' }).click()
  await form.waitFor({ state: 'detached' })
  await enter(ann).click()
  await ann
    .getByText(/^ann\b/)
    .first()
    .waitFor()
  await ann.getByPlaceholder('An operator can write here.').waitFor()

  await part.getByRole('button', { name: 'Unlink Mira…' }).click()
  await part.getByRole('button', { name: 'Unlink Mira', exact: true }).click()
  await enter(mira).waitFor()
})

import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { testWith } from '../../scripts/test-with.js'
import { findingsAtNight } from './support/axe.ts'
import { atFileEnd, dashboardDir, passwordDialog, test, useBrowser } from './support/browser.ts'
import { createAuthenticator } from './support/fake-authenticator.ts'
import { passkeyDoor } from './support/passkey-door.ts'
import { joined, stepUpAs } from './support/people.ts'
import { makeSshKey } from './support/ssh-keygen.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { withAuthenticator } from './support/virtual-authenticator.ts'

const { operator, person } = useBrowser()

const atEnd = atFileEnd()
/** Under the name at which browsers give passkeys. */
let jarvis: TestJarvis
/** The owner's, which all tests share. */
let page: Page
beforeAll(async () => {
  const started = await startJarvis({ dashboardDir, env: { JARVIS_EMBEDDINGS: 'none' }, atEnd })
  jarvis = { ...started, url: started.url.replace('127.0.0.1', 'localhost') }
  page = await operator(jarvis, { atEnd, colorScheme: 'light' }, '/settings/people')
})

testWith('Chromium', 'ssh-keygen')(
  'an owner sees who may sign in and where, and adds a passkey, signs in with it and removes it',
  async () => {
    const part = page.getByRole('region', { name: 'People and devices', exact: true })
    await withAuthenticator(page)
    await part.getByText('only you').waitFor()
    // The only owner stays one.
    await part.getByRole('link', { name: /^operator/ }).click()
    expect(await part.getByRole('button', { name: 'Remove operator…' }).isDisabled()).toBe(true)
    await part.getByText('The only owner: make somebody else an owner first.').first().waitFor()
    await part.getByText('No passkey yet.').waitFor()
    await part.getByLabel('Name of the passkey').fill('Pixel of mira')
    await part.getByRole('button', { name: 'Add a passkey…' }).click()
    await part.getByRole('list', { name: 'Your passkeys' }).getByText('Pixel of mira').waitFor()
    await part.getByRole('button', { name: 'Rename Pixel of mira…' }).click()
    await part.getByRole('form', { name: 'Rename Pixel of mira' }).getByLabel('Name').fill('Pixel')
    await part.getByRole('button', { name: 'Keep the name' }).click()
    await part.getByRole('button', { name: 'Remove Pixel…' }).waitFor()
    await part.getByText('No SSH key yet.').waitFor()
    const sshKey = makeSshKey()
    await part.getByLabel('Line of the .pub file').fill(readFileSync(sshKey.path, 'utf8'))
    await part.getByRole('button', { name: 'Add an SSH key…' }).click()
    await part.getByText('This is a private key.').waitFor()
    await part.getByLabel('Line of the .pub file').fill(sshKey.line)
    const countersigned = page.waitForResponse((answer) => answer.url().endsWith('/api/signers/ssh/countersign'))
    await part.getByRole('button', { name: 'Add an SSH key…' }).click()
    expect((await countersigned).status()).toBe(200)
    const sshKeys = part.getByRole('list', { name: 'Your SSH keys' })
    await sshKeys.getByText('mira@laptop').waitFor()
    expect(await findingsAtNight(part)).toEqual([])

    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    // The authenticator answers what the browser offers in the fields at once, as a person who chooses the passkey there.
    const devices = part.getByRole('list', { name: 'Where you are signed in' })
    await devices.getByText('this one, passkey').waitFor()
    expect(await findingsAtNight(page)).toEqual([])
    await part.getByRole('button', { name: 'Remove Pixel…' }).click()
    await part.getByRole('button', { name: 'Remove Pixel', exact: true }).click()
    await passwordDialog(page).getByRole('button', { name: 'Use a passkey' }).click()
    await passwordDialog(page).waitFor({ state: 'detached' })
    await part.getByText('No passkey yet.').waitFor()
    await part.getByRole('button', { name: 'Remove mira@laptop…' }).click()
    await part.getByRole('button', { name: 'Remove mira@laptop', exact: true }).click()
    await part.getByText('No SSH key yet.').waitFor()
  },
)

test('an owner invites by a link that is shown once, and whoever opens it on a phone comes in', async () => {
  const part = page.getByRole('region', { name: 'People and devices', exact: true })
  const form = part.getByRole('form', { name: 'Invite somebody' })
  await form.getByLabel('Role').selectOption('viewer')
  await form.getByLabel('Name, if you like').fill('Ann')
  await form.getByRole('button', { name: 'Make a link' }).click()
  const link = (await part.locator('.once code').textContent()) ?? ''
  expect(link).toMatch(/#\/join\/[\w-]{22}$/)
  await part.getByRole('img', { name: 'The link as a QR code' }).waitFor()
  const open = part.getByRole('list', { name: 'Invitations' })
  await open.getByText('Ann').waitFor()
  expect(await findingsAtNight(part)).toEqual([])
  await part.getByRole('button', { name: 'I have it' }).click()
  expect(await page.content()).not.toContain(link.slice(-22))

  const phone = await person({ ...jarvis, url: link }, { viewport: { width: 390, height: 844 } })
  await phone.getByText('invites you as').waitFor()
  expect(await phone.getByLabel('Your name').inputValue()).toBe('Ann')
  expect(await findingsAtNight(phone)).toEqual([])
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await phone.getByLabel(/^A password/).fill('plum-orchard-seven')
  await phone.getByRole('button', { name: 'Come in' }).click()
  await phone.getByRole('navigation').first().waitFor()
  expect(phone.url()).not.toContain('join')
  await open.waitFor({ state: 'detached' })
  await part.getByRole('link', { name: /^Ann/ }).waitFor()

  const late = await person({ ...jarvis, url: link })
  await late.getByText('used, was withdrawn or is too old').waitFor()
})

const parts = () => {
  const part = page.getByRole('region', { name: 'People and devices', exact: true })
  const pane = page.getByRole('complementary', { name: 'The person' })
  return {
    pane,
    list: part.getByRole('list', { name: 'People' }),
    row: part.getByRole('link', { name: /^jonas/ }),
    heading: pane.getByRole('heading', { name: 'jonas', exact: true }),
    // Not by a function: the page's policy refuses to run a string when it is asked a second time.
    hasFocus: (id: string) => page.locator(`[id="${id}"]:focus`).waitFor(),
  }
}

test('the chosen person stands beside the list and in the address, and closing gives the focus back to the row; on a phone it takes the page', async () => {
  const { person, token } = await joined(jarvis, 'jonas', 'viewer')
  await stepUpAs(jarvis, token)
  const door = passkeyDoor(jarvis, token)
  await door.enrol(createAuthenticator(door.origin), 'Phone')
  const { pane, list, row, heading, hasFocus } = parts()
  await row.click()
  await expect.poll(() => row.getAttribute('aria-current')).toBe('true')
  await pane.getByText('signed in', { exact: true }).waitFor()
  expect(page.url()).toMatch(`/settings/people?person=${person.id}`)
  const [left, right] = [await list.boundingBox(), await pane.boundingBox()]
  expect(right?.x).toBeGreaterThan((left?.x ?? 0) + (left?.width ?? 0))
  // Addresses are each person's own.
  expect(await pane.textContent()).not.toContain('127.0.0.1')
  await pane.getByLabel('Tool').fill('stop_container')
  await pane.getByLabel('vmid').fill('113')
  await pane.getByRole('button', { name: 'Judge it' }).click()
  await pane.getByText('Refused for jonas.').waitFor()
  const passkeys = pane.getByRole('list', { name: 'Passkeys of jonas' })
  await passkeys.getByText('never used').waitFor()
  expect(await findingsAtNight(pane)).toEqual([])
  await passkeys.getByRole('button', { name: 'Remove Phone…' }).click()
  await passkeys.getByRole('button', { name: 'Remove Phone', exact: true }).click()
  await pane.getByText('No passkey.', { exact: true }).waitFor()
  await page.reload()
  await pane.getByRole('button', { name: 'Edit jonas' }).click()
  await pane.getByRole('form', { name: 'Change jonas' }).getByLabel('Role').selectOption('operator')
  await pane.getByRole('button', { name: 'Save' }).click()
  await list.getByText('operator', { exact: true }).nth(1).waitFor()
  await page.keyboard.press('Escape')
  await pane.waitFor({ state: 'detached' })
  await hasFocus(`person-${person.id}`)
  expect(page.url()).toMatch(/\/settings\/people$/)
  await page.keyboard.press('Enter')
  await heading.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await pane.waitFor({ state: 'detached' })

  // On a phone the chosen person takes the page, with a way back to the row.
  await page.setViewportSize({ width: 390, height: 844 })
  await row.click()
  await heading.and(page.locator(':focus')).waitFor()
  expect(await list.isVisible()).toBe(false)
  expect((await heading.boundingBox())?.y).toBeLessThan(200)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await findingsAtNight(pane)).toEqual([])
  await pane.getByRole('link', { name: 'People' }).click()
  await hasFocus(`person-${person.id}`)
  expect(await row.boundingBox()).toMatchObject({ y: expect.toSatisfy((y: number) => y > 80 && y < 760) })
  await page.goBack()
  await heading.waitFor()
  await page.goBack()
  await hasFocus(`person-${person.id}`)
})

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type test as plainTest } from 'vitest'
import { findChromium } from '../../scripts/chromium.js'
import { testWith } from '../../scripts/test-with.js'
import { dashboardDir, go, say, test, useBrowser } from './support/browser.ts'
import { folder, rootFolder } from './support/data-dir.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const { operator } = useBrowser()
const withSandbox = (findChromium() === undefined ? test : testWith('bubblewrap')) as typeof plainTest

test('a card shows the difference of a file, every line on request, and the settings show the roots', async () => {
  const dir = rootFolder()
  mkdirSync(join(dir, 'caddy'))
  const before = `${Array.from({ length: 600 }, (_, at) => `site-${at}.lan { reverse_proxy 10.0.3.1:${8000 + at} }`).join('\n')}\n`
  writeFileSync(join(dir, 'caddy/Caddyfile'), before)
  const dataDir = folder()
  writeFileSync(
    join(dataDir, 'policy.yaml'),
    `workbench: {roots: [{name: caddy, path: ${join(dir, 'caddy')}, write: true}]}`,
  )
  const after = before.replace('site-7.lan', 'vault.lan').replaceAll(/site-[2-4]\d\d\.lan .*\n/g, '')
  const hash = createHash('sha256').update(before).digest('hex').slice(0, 16)
  const writing = calls(['write_file', { path: 'caddy/Caddyfile', hash, content: after }])
  const jarvis = await startJarvis({ dashboardDir, dataDir, model: scripted(writing, says('Tidied.')) })
  const page = await operator(jarvis)
  await say(page, 'Tidy the Caddyfile.')
  const files = page.getByRole('list', { name: 'Files that change' })
  await files.getByText('vault.lan {').waitFor()
  await files.getByText('+1 −301').waitFor()
  const shots = process.env.SHOTS
  if (shots !== undefined) await page.screenshot({ path: join(shots, 'card.png') })
  expect(await files.getByText('site-499.lan').count()).toBe(0)
  await files.getByRole('button', { name: /^Show \d+ more lines$/ }).click()
  await files.getByText('site-499.lan').waitFor()
  if (shots !== undefined) {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.screenshot({ path: join(shots, 'card-phone.png') })
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  const approve = page.getByRole('button', { name: /^Approve: write the file as shown/ })
  // It is enabled once the whole card was on screen.
  await page.locator('article[data-pending]').evaluate((card) => card.scrollIntoView({ block: 'start' }))
  // The card looks every 100 ms; a timer of the page's own runs after such a look, however busy the machine.
  await page.evaluate('new Promise((done) => setTimeout(done, 250))')
  await approve.scrollIntoViewIfNeeded()
  await approve.and(page.locator('[aria-disabled=false]')).waitFor()
  await approve.click()
  await page.getByText('Tidied.', { exact: true }).waitFor()
  expect(readFileSync(join(dir, 'caddy/Caddyfile'), 'utf8')).toBe(after)

  await go(page, '/settings/workbench')
  const part = page.getByRole('region', { name: 'Workbench' })
  await part.getByText('changes ask').waitFor()
  await part.getByText('Whoever reaches this socket is root on this machine').waitFor()
  if (shots !== undefined) await page.screenshot({ path: join(shots, 'settings.png') })

  // Another part is turned on: the lines are shown, and count once they are saved.
  await part.getByRole('button', { name: 'Turn on: Browser' }).click()
  const unsaved = part.getByRole('region', { name: 'Not saved yet' })
  await unsaved.getByText('Turns on: Browser.').waitFor()
  await unsaved.getByText('browser: true').first().waitFor()
  await unsaved.getByRole('button', { name: 'Save, with your password' }).click()
  await part.getByRole('button', { name: 'Turn off: Browser' }).waitFor()
  await unsaved.waitFor({ state: 'detached' })
  expect(readFileSync(join(dataDir, 'policy.yaml'), 'utf8')).toContain('browser: true')
  // A refusal of the policy is shown in the policy's words, and saves nothing.
  await part.getByLabel('Name').fill('all')
  await part.getByLabel('Folder').fill('/')
  await part.getByRole('form', { name: 'Add a root' }).getByRole('button', { name: 'Add' }).click()
  await unsaved.getByText('is the whole machine').waitFor()
  expect(await unsaved.getByRole('button', { name: /^Save/ }).getAttribute('aria-disabled')).toBe('true')
  await unsaved.getByRole('button', { name: 'Discard' }).click()
  await unsaved.waitFor({ state: 'detached' })
})

withSandbox(
  'what a command that a person typed would change is asked for by a button, and again after a denial',
  async () => {
    const dir = rootFolder()
    writeFileSync(join(dir, 'hosts'), 'b\na\n')
    const dataDir = folder()
    writeFileSync(
      join(dataDir, 'policy.yaml'),
      `workbench: {exec: true, roots: [{name: lan, path: ${dir}, write: true}]}`,
    )
    const page = await operator(await startJarvis({ dashboardDir, dataDir, model: scripted() }))
    await say(page, '/run_command command="sort -o hosts hosts" folder=lan')
    const apply = page.getByRole('button', { name: 'Apply 1 file…' })
    await apply.click()
    await page.locator('#composer:focus').waitFor({ state: 'attached' })
    const card = page.locator('article[data-pending]')
    await card.getByText('Change lan/hosts?').waitFor()
    expect(await apply.count()).toBe(0)
    await card.getByRole('button', { name: 'Deny…' }).click()
    await card.getByRole('button', { name: 'Deny and say so' }).click()
    await apply.click()
    await card.getByText('Change lan/hosts?').waitFor()
    await page.evaluate('new Promise((done) => setTimeout(done, 250))')
    await card
      .getByRole('button', { name: /^Approve/ })
      .and(page.locator('[aria-disabled=false]'))
      .click()
    await expect.poll(() => readFileSync(join(dir, 'hosts'), 'utf8')).toBe('a\nb\n')
    await card.waitFor({ state: 'detached' })
    expect(await apply.count()).toBe(0)
  },
)

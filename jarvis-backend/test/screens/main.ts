// Pictures of the main views at three sizes, from the demo cluster at a fixed time: npm run screenshots
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from 'node-kit/clock'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { morning } from '../../../jarvis-frontend/test/scenery/scenes/morning.ts'
import { startScripted, tokenOf } from '../../../jarvis-frontend/test/scenery/scripted-server.ts'
import { chromiumArgs, findChromium } from '../../../scripts/chromium.js'
import { readConfig } from '../../src/config/config.ts'
import { compose } from '../../src/process.ts'
import { dashboardDir } from '../support/browser.ts'
import { createSimulator } from '../support/simulator.ts'
import { fewerColours } from './fewer-colours.ts'

const out = fileURLToPath(new URL('../../../docs/screens', import.meta.url))
const at = Date.UTC(2026, 5, 1, 9, 14)
const password = 'correct-horse-battery'
const sizes = { desktop: [1440, 900], tablet: [820, 1100], phone: [390, 844] } as const
type Size = keyof typeof sizes
type Theme = 'dark' | 'light'
/** Where it is, and what is on it once it is whole. */
const views: Readonly<Record<string, readonly [path: string, seen: string]>> = {
  chat: ['', 'Approve'],
  cluster: ['/cluster', 'Storage'],
  guest: ['/guest/113', 'tank-nfs'],
  waiting: ['/waiting', 'frigate'],
  journal: ['/journal', 'get_'],
  agents: ['/agents', 'Which agent would answer?'],
  skill: ['/agents/skills/disk-health', 'Approve this tree'],
  tools: ['/tools', 'Read'],
  settings: ['/settings/models', 'scripted'],
}
const shots: [view: string, size: Size, theme: Theme][] = [
  ...Object.keys(views).flatMap((view) =>
    Object.keys(sizes).map((size): [string, Size, Theme] => [view, size as Size, 'dark']),
  ),
  ['chat', 'desktop', 'light'],
  ['cluster', 'desktop', 'light'],
  ['guest', 'desktop', 'light'],
  ['chat', 'phone', 'light'],
]

const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-screens-'))
process.env.TZ = 'UTC'
const config = readConfig({
  JARVIS_DATA_DIR: dataDir,
  JARVIS_PASSWORD: password,
  JARVIS_EMBEDDINGS: 'none',
  SSH_KNOWN_HOSTS: '/home/jarvis/.ssh/known_hosts',
  LOG_LEVEL: 'silent',
  PORT: '0',
})
// Time stands still, so that the same is seen in every run; what waits for a moment still gets it.
const clock = { now: () => at, after: systemClock.after }
const homelab = createSimulator({ clock, protectedTargets: config.protectedTargets, speed: 1_000 })
const jarvis = compose(config, { version: '0.0.0', dashboardDir }, { clock, homelab })
await new Promise<void>((resolve) => jarvis.http.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(jarvis.http.address() as AddressInfo).port}`
const executablePath = findChromium()
if (executablePath === undefined) throw new Error('No Chromium found. Install it, or set CHROMIUM_PATH.')
const browser = await chromium.launch({ executablePath, args: chromiumArgs })

function contextOf(size: Size, theme: Theme): Promise<BrowserContext> {
  const [width, height] = sizes[size]
  const isTouch = size !== 'desktop'
  return browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    hasTouch: isTouch,
    isMobile: isTouch,
  })
}

async function signedIn(size: Size, theme: Theme): Promise<Page> {
  const context = await contextOf(size, theme)
  const page = await context.newPage()
  await page.clock.setFixedTime(at)
  await page.goto(url)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  return page
}

/** A morning's talk: a question that reads, and a change that waits. @returns its path */
async function talk(): Promise<string> {
  const page = await signedIn('desktop', 'dark')
  const say = async (text: string) => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text)
    await page.keyboard.press('Enter')
  }
  await say('How is the cluster, and which backups are old?')
  await page.waitForURL('**/chat/*')
  await page.getByText('2 calls', { exact: true }).waitFor()
  await say('Restart frigate.')
  await page.getByRole('button', { name: /^Approve/ }).waitFor()
  const path = new URL(page.url()).pathname
  await page.context().close()
  return path
}

/** The README's: what a model of one's own makes of a bad night, which the demo's cannot tell. */
async function story(): Promise<Page> {
  const server = await startScripted(morning(at), dashboardDir)
  const context = await contextOf('desktop', 'dark')
  const page = await context.newPage()
  await page.clock.setFixedTime(at)
  await page.goto(server.url)
  await page.evaluate(`localStorage.setItem('jarvis.token', ${JSON.stringify(tokenOf('operator'))})`)
  await page.goto(`${server.url}/chat/ses_main`)
  await page.getByRole('button', { name: 'Approve: restart 123' }).waitFor()
  return page
}

/** @returns its size in bytes */
async function keep(page: Page, name: string): Promise<number> {
  await page.evaluate('document.fonts.ready')
  // Whatever the page fetches for itself is there.
  await page.waitForLoadState('networkidle')
  // A card wakes once it was seen for a while; it rests where the screen does not hold all of it.
  await page.clock.setFixedTime(at + 2_000)
  const awake = page.locator('button:not([aria-disabled="true"])', { hasText: /^Approve/ })
  if (/^(chat|story)/.test(name))
    await awake
      .first()
      .waitFor({ timeout: 3_000 })
      .catch(() => undefined)
  const picture = fewerColours(await page.screenshot({ animations: 'disabled', caret: 'hide' }))
  writeFileSync(join(out, `${name}.png`), picture)
  await page.context().close()
  return picture.length
}

try {
  const chat = await talk()
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  let bytes = 0
  for (const [view, size, theme] of shots) {
    const [path = '', seen = ''] = views[view] ?? []
    const page = await signedIn(size, theme)
    await page.goto(url + (view === 'chat' ? chat : path))
    await page.getByText(seen).filter({ visible: true }).first().waitFor()
    bytes += await keep(page, `${view}-${size}-${theme}`)
  }
  bytes += await keep(await story(), 'story')
  process.stdout.write(`${shots.length + 1} pictures in docs/screens, ${Math.round(bytes / 1024)} kB.\n`)
} finally {
  await browser.close()
  rmSync(dataDir, { recursive: true, force: true })
}
// Nothing of the server is kept: it ends with the process.
process.exit()

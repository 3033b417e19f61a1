// Pictures of the main views at three sizes, from the demo cluster at a fixed time: npm run screenshots
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../../scripts/chromium.js'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config/config.ts'
import { createSimulator } from '../../src/homelab/simulator/index.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { dashboardDir } from '../support/browser.ts'
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
  waiting: ['/waiting', 'frigate'],
  journal: ['/journal', 'get_'],
  tools: ['/tools', 'Read'],
  settings: ['/settings', 'scripted'],
}
const shots: [view: string, size: Size, theme: Theme][] = [
  ...Object.keys(views).flatMap((view) =>
    Object.keys(sizes).map((size): [string, Size, Theme] => [view, size as Size, 'dark']),
  ),
  ['chat', 'desktop', 'light'],
  ['cluster', 'desktop', 'light'],
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
const jarvis = compose(config, '0.0.0', dashboardDir, { clock, homelab })
await new Promise<void>((resolve) => jarvis.http.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(jarvis.http.address() as AddressInfo).port}`
const executablePath = findChromium()
if (executablePath === undefined) throw new Error('No Chromium found. Install it, or set CHROMIUM_PATH.')
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] })

async function signedIn(from: Browser, size: Size, theme: Theme): Promise<Page> {
  const [width, height] = sizes[size]
  const isTouch = size !== 'desktop'
  const context = await from.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    hasTouch: isTouch,
    isMobile: isTouch,
  })
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
  const page = await signedIn(browser, 'desktop', 'dark')
  const say = async (text: string) => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text)
    await page.keyboard.press('Enter')
  }
  await say('How is the cluster, and which backups are old?')
  await page.waitForURL('**/chat/*')
  await page.getByText('2 calls').waitFor()
  await say('Restart frigate.')
  await page.getByRole('button', { name: /^Approve/ }).waitFor()
  const path = new URL(page.url()).pathname
  await page.context().close()
  return path
}

try {
  const chat = await talk()
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  let bytes = 0
  for (const [view, size, theme] of shots) {
    const [path = '', seen = ''] = views[view] ?? []
    const page = await signedIn(browser, size, theme)
    await page.goto(url + (view === 'chat' ? chat : path))
    await page.getByText(seen).filter({ visible: true }).first().waitFor()
    await page.evaluate('document.fonts.ready')
    // Whatever the page fetches for itself is there.
    await page.waitForLoadState('networkidle')
    // It rests where the screen does not hold all of the card.
    const awake = page.locator('button:not([aria-disabled="true"])', { hasText: /^Approve/ })
    if (view === 'chat') await awake.waitFor({ timeout: 3_000 }).catch(() => undefined)
    const file = join(out, `${view}-${size}-${theme}.png`)
    writeFileSync(file, fewerColours(await page.screenshot({ animations: 'disabled', caret: 'hide' })))
    bytes += statSync(file).size
    await page.context().close()
  }
  process.stdout.write(`${shots.length} pictures in docs/screens, ${Math.round(bytes / 1024)} kB.\n`)
} finally {
  await browser.close()
  rmSync(dataDir, { recursive: true, force: true })
}
// Nothing of the server is kept: it ends with the process.
process.exit()

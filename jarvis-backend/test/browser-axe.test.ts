import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Role } from '../src/protocol/index.ts'
import { findingsInBothThemes, seriousFindings } from './support/axe.ts'
import { dashboardDir, go, test, useBrowser } from './support/browser.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const { operator, person } = useBrowser()
const table = '| guest | why |\n|---|---|\n| 103 truenas | full |\n\n```sh\nzpool list\n```'

/** A server with something on every page: a talk with a card that waits, a refusal, a memory, a token, a shell. */
async function lively(): Promise<{ jarvis: TestJarvis; pages: [path: string, seen: string][] }> {
  const model = scripted(
    calls(['get_cluster_status', {}], ['execute_ssh', { node: 'pve', command: 'rm -rf /' }]),
    says(table),
    calls(['stop_vm', { vmid: 103 }]),
  )
  const jarvis = await startJarvis({ dashboardDir, model, env: { JARVIS_EMBEDDINGS: 'none', JARVIS_TERMINAL: '1' } })
  mkdirSync(join(jarvis.dataDir, 'workspace'), { recursive: true })
  writeFileSync(join(jarvis.dataDir, 'workspace/MEMORY.md'), '# Media\n\nThe transcoder needs the GPU of pve.\n')
  await jarvis.rest('/api/mcp-tokens', { method: 'POST', json: { name: 'ops-laptop' } })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Look around.' })
  await screen.next('chat:done')
  await screen.ask('chat:send', { sessionId, message: 'Stop truenas.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  const pages: [string, string][] = [
    ['/', 'Waiting for you'],
    [`/chat/${sessionId}`, 'Stop VM 103'],
    ['/cluster', 'truenas'],
    [`/waiting?card=${toolUseId}`, 'Stop VM 103'],
    ['/alerts', 'Firing'],
    ['/automations', 'A job has no rights of its own'],
    ['/automations/runbooks', 'Runbooks'],
    ['/automations/windows', 'Maintenance windows'],
    ['/journal', 'get_cluster_status'],
    ['/sessions', 'Look around.'],
    ['/agents', 'Which agent would answer?'],
    ['/agents/skills', 'disk-health'],
    ['/agents/skills/disk-health', 'Approve this tree'],
    ['/agents/tools?tool=execute_ssh', 'a command not proven to read'],
    ['/agents/memory?file=MEMORY.md', 'needs the GPU'],
    ['/settings', 'Demo'],
    ['/system', 'the database takes'],
    ['/system/terminal', 'JARVIS does not guard this.'],
    ['/more', 'Settings'],
  ]
  return { jarvis, pages }
}

/** Somebody at the page of signing in, who is signed in at the next load. */
async function aboutToEnter(jarvis: TestJarvis, role: Role): Promise<Page> {
  const page = await person(jarvis, { viewport: sizes.desktop, colorScheme: 'dark' })
  await page.evaluate(`localStorage.setItem('jarvis.token', ${JSON.stringify(jarvis.token(role))})`)
  return page
}
const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }

const findings = async (page: Page, where: string) =>
  (await findingsInBothThemes(page)).map((line) => `${where} ${line}`)

const acts = /^(Approve|Deny|Allow|Stop|Send|Queue|Revoke|Rename|Delete|New chat|Run it|Restart|Ask |Save|Make|Add)/

/** A window is made as wide as a phone, or as a desk's, and shows it: a phone has its pages in a bar, under More. */
async function resize(page: Page, size: keyof typeof sizes) {
  await page.setViewportSize(sizes[size])
  const more = page.getByRole('link', { name: 'More', exact: true })
  await more.first().waitFor({ state: size === 'phone' ? 'visible' : 'hidden' })
}

test.each(['operator', 'viewer'] as const)(
  'axe finds nothing serious on any page, at a desk and on a phone: %s',
  async (role) => {
    const { jarvis, pages } = await lively()
    const page = await aboutToEnter(jarvis, role)
    await page.getByLabel('Password', { exact: true }).waitFor()
    const found = await findings(page, 'sign-in')
    await page.setViewportSize(sizes.phone)
    found.push(...(await findings(page, 'sign-in on a phone')))
    await page.setViewportSize(sizes.desktop)
    await page.goto(`${jarvis.url}/settings`)
    await page.getByText('Demo').filter({ visible: true }).first().waitFor()
    for (const [path, seen] of pages) {
      await go(page, path)
      for (const size of ['desktop', 'phone'] as const) {
        await resize(page, size)
        await page.getByText(seen).filter({ visible: true }).first().waitFor()
        const where = `${path} ${size}`
        // A viewer's pages have no colours of their own.
        found.push(...(await (role === 'operator' ? findings(page, where) : seriousFindings(page))))
        // Nothing is offered that a viewer may not do.
        if (role === 'viewer') found.push(...(await page.getByRole('button', { name: acts }).allTextContents()))
      }
      await resize(page, 'desktop')
    }
    for (const key of ['Control+k', '?']) {
      await page.keyboard.press(key)
      await page.getByRole('dialog').waitFor()
      found.push(...(await findings(page, key)))
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    expect(found).toEqual([])
    expect(await page.title()).toBe('(1) JARVIS')
  },
)

test('a card is decided with one hand: Deny and Approve stand in the lower half, 44 px high, and nothing is cut', async () => {
  const { jarvis, pages } = await lively()
  const page = await operator(jarvis, { viewport: sizes.phone }, pages[1]?.[0])
  for (const name of [/^Deny/, /^Approve: stop 103/]) {
    const button = page.getByRole('button', { name }).first()
    await button.waitFor()
    const box = await button.boundingBox()
    expect(box?.height, String(name)).toBeGreaterThanOrEqual(44)
    expect(box?.y, String(name)).toBeGreaterThan(sizes.phone.height / 2)
    expect((box?.x ?? 0) + (box?.width ?? 0), String(name)).toBeLessThanOrEqual(sizes.phone.width)
    // What lies there is the button itself: no bar and no line covers it.
    const hit = `document.elementFromPoint(${(box?.x ?? 0) + 20}, ${(box?.y ?? 0) + 22}).closest('button')?.textContent`
    expect(await page.evaluate<string>(hit), String(name)).toMatch(name)
  }
})

test('the dashboard can be installed: manifest, icons and colours are served', async () => {
  const jarvis = await startJarvis({ dashboardDir })
  const read = (path: string) => fetch(jarvis.url + path)
  type Manifest = { display: string; start_url: string; icons: { src: string; sizes: string; purpose: string }[] }
  const manifest = (await (await read('/manifest.webmanifest')).json()) as Manifest
  expect(manifest).toMatchObject({ display: 'standalone', start_url: '/' })
  expect(manifest.icons.some(({ purpose }) => purpose === 'maskable')).toBe(true)
  for (const { src, sizes } of manifest.icons) {
    const response = await read(src)
    expect(response.status, src).toBe(200)
    if (!src.endsWith('.png')) continue
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, src).toBe(sizes)
  }
  const worker = await read('/sw.js')
  expect(worker.headers.get('content-type')).toContain('javascript')
  expect(worker.headers.get('cache-control')).not.toContain('immutable')
})

import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { startFakeProxmox } from 'fake-proxmox/server'
import { expect, onTestFinished } from 'vitest'
import { attachedDir, odd, serversOf, tool } from './support/attached.ts'
import { findingsAtNight } from './support/axe.ts'
import { dashboardDir, givePassword, go, test, useBrowser } from './support/browser.ts'
import { folder } from './support/data-dir.ts'
import { npmStart } from './support/npm-start.ts'
import { useSharedChat } from './support/shared-chat.ts'
import { startSignedInServer } from './support/signed-in-server.ts'
import { startJarvis } from './support/start-jarvis.ts'

const { operator } = useBrowser()
const env = { JARVIS_EMBEDDINGS: 'none' }

const newChat = useSharedChat({ env, restart: () => {} })
/** The shared page, at a path. */
async function visit(path: string) {
  const { jarvis, page } = await newChat()
  await go(page, path)
  return { jarvis, page }
}

test('a cluster is connected: certificate, command, token, rights, save', async () => {
  const fake = await startFakeProxmox({ denyDelayMs: 10, proxyDelayMs: 10 })
  onTestFinished(fake.stop)
  await fake.control.setRights({ '/': { 'VM.Audit': 1, 'Sys.Audit': 1 } })
  const { jarvis, page } = await visit('/settings/proxmox')
  const where = page.getByRole('form', { name: 'Find the cluster' })
  await where.getByLabel('Address of a node').fill('http://127.0.0.1:1')
  await where.getByRole('button', { name: 'Look at it' }).click()
  await page.getByRole('region', { name: 'Proxmox' }).getByRole('alert').waitFor()

  await where.getByLabel('Address of a node').fill(fake.urls[0]?.replace('https://', '') ?? '')
  await where.getByRole('button', { name: 'Look at it' }).click()
  await page.getByText(fake.fingerprints[0] ?? '').waitFor()
  await page.getByText('Proxmox VE 9.2.11 on pve1').waitFor()
  const token = page.getByRole('form', { name: 'Try the token' })
  expect(await token.count()).toBe(0)
  await page.getByRole('button', { name: 'This is my cluster’s certificate' }).click()
  await page.getByText('pveum role add JARVIS').waitFor()
  await page.getByText('7 wider sets of rights, each your choice').click()
  await page.getByText('To open a guest’s screen for an operator').waitFor()
  await page.getByText('pveum role modify JARVIS --append 1 --privs "VM.Console"').waitFor()
  await page.getByText('7 wider sets of rights, each your choice').click()
  expect(Object.keys(await fake.control.requests())).toEqual(['GET /'])

  await token.getByLabel('Token id').fill(fake.tokenId)
  await token.getByLabel('Token secret').fill('wrong-secret-0123')
  await token.getByRole('button', { name: 'Try the token' }).click()
  await page.getByRole('list', { name: 'Entries' }).getByText('(401)').waitFor()
  const save = page.getByRole('region', { name: 'Proxmox' }).getByRole('button', { name: 'Save this cluster' })
  expect(await save.count()).toBe(0)
  await token.getByLabel('Token secret').fill(fake.tokenSecret)
  await token.getByRole('button', { name: 'Try the token' }).click()
  await page.getByText('lacks VM.PowerMgmt on /vms').first().waitFor()
  await page.locator('pre').getByText('pveum role modify JARVIS').waitFor()
  await page.getByText('6 wider sets of rights this token does not have').waitFor()
  expect(await findingsAtNight(page.getByRole('region', { name: 'Proxmox' }))).toEqual([])
  expect(await page.locator('.settings-body').evaluate((body) => body.scrollWidth - body.clientWidth)).toBe(0)

  await save.click()
  await page.getByText('Saved. Restart JARVIS to use it.').waitFor()
  // It is the server that knows: a reload and another browser say it too.
  await page.reload()
  const host = new URL(fake.urls[0] ?? '').host
  await page.getByText(`Saved: ${host}. It counts from the next start of JARVIS.`).waitFor()
  await page.getByRole('button', { name: 'Restart now' }).waitFor()
  await page.getByRole('button', { name: 'Forget the saved cluster…' }).click()
  await page.getByRole('button', { name: 'Forget the address and the token' }).click()
  await page.getByRole('link', { name: 'Connect yours' }).waitFor()
  const kept = await (await jarvis.rest('/api/journal?kind=setup')).text()
  expect(kept).toContain('"saved"')
  expect(kept + (await page.content())).not.toContain(fake.tokenSecret)
})

/** The same server, which answers nobody until it is released. */
async function heldBack(url: string) {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const server = createServer((socket) => {
    socket.on('error', () => {})
    void released.then(() => {
      const to = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => socket.destroy())
      socket.pipe(to).pipe(socket)
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, release }
}

test('a saved cluster comes into use by a restart from its row, without a reload', async () => {
  const { urls, tokenId, tokenSecret, fingerprints, stop } = await startFakeProxmox({
    denyDelayMs: 10,
    proxyDelayMs: 10,
  })
  onTestFinished(stop)
  const slow = await heldBack(urls[0] ?? '')
  const jarvis = await npmStart(folder())
  const page = await operator(jarvis, {}, '/settings/proxmox')
  const proxmox = page.getByRole('region', { name: 'Proxmox' })
  await proxmox.getByText('The built-in demo').waitFor()
  await jarvis.ask('/stop_vm vmid=103')
  await jarvis.call('POST', '/api/setup/save', { urls: [slow.url], tokenId, tokenSecret, fingerprints })
  await proxmox.getByText('What runs, waits or is granted was asked of the cluster in use, and ends with it.').waitFor()
  expect(await findingsAtNight(proxmox)).toEqual([])
  await proxmox.getByRole('button', { name: 'Restart now' }).focus()
  await page.keyboard.press('Enter')
  await givePassword(page)
  await page.getByRole('status').getByText('JARVIS has restarted').waitFor()
  await proxmox.getByText('the cluster has not been read yet').waitFor()
  slow.release()
  await proxmox.getByText('fake: 4 of 4 nodes online').waitFor()
  expect(await page.getByText('It counts from the next start').count()).toBe(0)
  expect(await page.getByText('Demo cluster').count()).toBe(0)
})

test('a cluster that the environment names is said to be set there', async () => {
  const pve = { PVE_URL: 'https://127.0.0.1:1', PVE_TOKEN_ID: 'jarvis@pve!jarvis', PVE_TOKEN_SECRET: 'secret-0123' }
  const page = await operator(await startJarvis({ dashboardDir, env: { ...env, ...pve } }), {}, '/settings/proxmox')
  await page.getByText('can be changed only there').waitFor()
  expect(await page.getByRole('form', { name: 'Find the cluster' }).count()).toBe(0)
})

test('an MCP server is attached, its tool gets a tier, it is disabled and removed', async () => {
  const { planPath } = attachedDir(() => ({}), { tools: [tool('look')] })
  const { jarvis, page } = await visit('/settings/mcp-servers')
  const section = page.getByRole('region', { name: 'MCP servers' })
  const form = section.getByRole('form', { name: 'Attach an MCP server' })
  const attach = async (name: string, reach: string) => {
    await form.getByLabel('Name').fill(name)
    await form.getByLabel('Command or URL').fill(reach)
    await form.getByRole('button', { name: 'Attach' }).click()
  }
  const { command, args } = odd(planPath)
  const line = [command, ...args].map((word) => `"${word}"`).join(' ')
  await attach('not a name', line)
  await section.getByText('must be letters and digits').waitFor()
  await attach('odd', line)
  await section.getByText('stdio, connected').waitFor()
  await section.getByText('1 tool', { exact: true }).click()
  await section.getByLabel('Tier of odd__look').selectOption('green')
  await expect.poll(async () => (await serversOf(jarvis)).items[0]?.tools[0]?.tier).toBe('green')

  await attach('gone', 'http://127.0.0.1:1/mcp')
  await section.getByText('http, failed').waitFor()
  await section.getByRole('button', { name: 'Try again gone' }).waitFor()
  await section.getByText('Log', { exact: true }).last().click()
  await section
    .getByRole('list', { name: 'Log of gone, newest last' })
    .getByText('Cannot reach 127.0.0.1:1')
    .first()
    .waitFor()
  expect(await findingsAtNight(section)).toEqual([])

  await section.getByRole('button', { name: 'Disable odd' }).click()
  await section.getByText('stdio, disabled').waitFor()
  await section.getByRole('button', { name: 'Enable odd' }).click()
  await section.getByText('stdio, connected').waitFor()
  for (const name of ['odd', 'gone']) {
    await section.getByRole('button', { name: `Remove ${name}…` }).click()
    await section.getByRole('button', { name: `Remove ${name}`, exact: true }).click()
  }
  await section.getByText('No servers yet.').waitFor()
  expect((await serversOf(jarvis)).items).toEqual([])
})

test('an owner signs in to an attached server from the page, sees where and for what, and signs out', async () => {
  const server = await startSignedInServer()
  const { dir } = attachedDir(() => ({ notes: { url: server.url } }))
  const jarvis = await startJarvis({ dataDir: dir, dashboardDir })
  const page = await operator(jarvis, {}, '/settings/mcp-servers')
  const section = page.getByRole('region', { name: 'MCP servers' })
  await section.getByText('http, needs a sign-in').waitFor()
  await section.getByRole('button', { name: 'Sign in to notes' }).click()
  await section.getByText(`You sign in at ${server.issuer}, which is asked for: read`).waitFor()
  expect(await findingsAtNight(section)).toEqual([])
  await section.getByRole('link', { name: 'Go there' }).click()
  await section.getByText(`signed in at ${server.issuer} for read, by operator`).waitFor()
  await section.getByText('http, connected').waitFor()
  expect(page.url()).toBe(`${jarvis.url}/settings/mcp-servers`)
  expect(await findingsAtNight(section)).toEqual([])
  await section.getByRole('button', { name: 'Sign out of notes' }).click()
  await section.getByText('http, needs a sign-in').waitFor()
  expect(server.access.size).toBe(0)
})

test('the doctor is run from the system page, and its findings fit into every window', async () => {
  const { page } = await visit('/system')
  await page.getByRole('button', { name: 'Run the doctor' }).click()
  const found = page.getByRole('list', { name: 'What the doctor found' })
  await found.getByText('Journal').first().waitFor()
  await page.getByText('Nothing is broken').waitFor()
  expect(await findingsAtNight(page)).toEqual([])
  for (const width of [1440, 320]) {
    await page.setViewportSize({ width, height: 800 })
    await found.getByText('Journal').first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('a restart that does not come back is said to be late, one that would not start is not begun', async () => {
  const { jarvis, page } = await visit('/settings/proxmox')
  const { dataDir } = jarvis
  const urls = ['https://127.0.0.1:1']
  const cluster = { urls, tokenId: 'jarvis@pve!jarvis', tokenSecret: 'secret-0123', fingerprints: [] }
  await jarvis.rest('/api/setup/save', { method: 'POST', json: cluster })
  const proxmox = page.getByRole('region', { name: 'Proxmox' })
  const restart = proxmox.getByRole('button', { name: 'Restart now' })
  // The page keeps this clock: no test comes after this one.
  await page.clock.install()
  writeFileSync(join(dataDir, 'policy.yaml'), 'version: two\n')
  await restart.click()
  await proxmox.getByRole('alert').getByText('Nothing was restarted: JARVIS would not start again here.').waitFor()
  rmSync(join(dataDir, 'policy.yaml'))
  await restart.click()
  await page.getByRole('status').getByText('JARVIS restarts').waitFor()
  await proxmox.getByRole('button', { name: 'Restarting' }).waitFor()
  await page.clock.fastForward(30_000)
  await proxmox.getByRole('alert').getByText('JARVIS has not come back for 30 s.').waitFor()
})

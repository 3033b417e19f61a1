import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { afterAll, beforeAll, expect, type test as plainTest } from 'vitest'
import { findChromium as findAny } from '../../scripts/chromium.js'
import { testWith } from '../../scripts/test-with.js'
import { Browsers, idleMs } from '../src/workbench/browser/browsers.ts'
import { type Browsing, startBrowsing } from '../src/workbench/browser/browsing.ts'
import { findChromium } from '../src/workbench/browser/parts.ts'
import { pageAddress } from '../src/workbench/browser/site.ts'
import { makeScratch } from '../src/workbench/scratch.ts'
import { createFakeClock } from './support/fake-clock.ts'

const test = (findAny() === undefined ? testWith('Chromium') : testWith('bubblewrap')) as typeof plainTest

const pages: Record<string, string> = {
  '/': '<title>Home</title><h1>Home</h1><a href="/next">Next page</a> <a href="#part">Part</a> <a href="http://other.test/">Elsewhere</a>',
  '/next': '<h1>Next</h1>',
  '/dialog': `<button onclick="document.title = String(confirm('Delete all?'))">Delete</button>`,
  '/popup': `<button onclick="window.open('/next')">Open</button> <button onclick="window.open('/late')">Late</button>
    <button onclick="window.open('/held')">Held</button>`,
  '/late': '<h1>Late</h1>',
  '/frame': `<iframe srcdoc="<button>Framed</button><a href='/next'>Framed link</a>"></iframe>`,
  '/replaced': `<div id="d"><button>Save</button></div><script>
    addEventListener('replace', () => { d.innerHTML = '<button>Delete everything</button>' })</script>`,
  '/renamed': '<button id="b" onclick="document.title = this.textContent">Save</button>',
  '/secret': '<input aria-label="Name" value="visible"><input type="password" aria-label="Password" value="hunter2-x">',
  '/file': '<a href="file:///etc/passwd">Accounts</a> <a href="chrome://version">Version</a>',
  '/links': Array.from({ length: 5_000 }, (_, number) => `<a href="/l${number}">Link number ${number}</a>`).join(' '),
  '/resources': '<img src="http://evil.test/pixel?secret"><script src="http://cdn.test/a.js"></script><p>Text</p>',
  '/rtc': `<h1>None</h1><script>
    const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:STUN' }] })
    peer.onicecandidate = ({ candidate }) => { if (candidate) document.querySelector('h1').textContent += candidate.candidate }
    peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))
      .then(() => setTimeout(() => { document.querySelector('h1').textContent += ' done' }, 500))</script>`,
  '/local': `<h1>wait</h1><script>Promise.allSettled(['http://127.0.0.1:PORT/', 'http://localhost:PORT/', 'http://169.254.169.254/'].map((url) => fetch(url, { mode: 'no-cors' })))
    .then((all) => { document.querySelector('h1').textContent = all.map(({ status }) => status).join(' ') })</script>`,
  '/owners': `<table><form action="http://paid.test/pay" target="kept"><tr><td><button>Paid</button><input aria-label="Amount"></td></tr></form></table>
    <form id="late" action="/near"><table></form><form action="http://other.test/twice"><tr><td><button>Twice</button></td></tr></form></table>
    <form id="a&#10;b" action="http://other.test/line"></form><button form="a&#10;b">Lined</button>
    <div><template shadowrootmode="open"><a href="http://other.test/slot"><slot></slot></a></template><span role="button">Slotted</span></div>
    <map name="Sky"><area shape="rect" coords="0,0,60,60" href="http://other.test/area"></map>
    <img usemap="#sky" alt="Mapped" width="60" height="60" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
    <img name="querySelectorAll"><form action="/near"><input name="form"><input name="elements"><input name="ownerDocument"><button></button></form>
    <iframe name="kept"></iframe>`,
  '/redirect-out': '',
  '/attack': `<h1>wait</h1><form action="http://router.test:PORT/reboot" method="post" target="_self"><button>Win</button></form>
    <a href="http://router.test:PORT/reboot">Get</a><img src="http://router.test:PORT/pixel">
    <script>Promise.allSettled([fetch('http://router.test:PORT/fetched', { mode: 'no-cors', method: 'POST', body: 'x' })])
    .then(([one]) => { document.querySelector('h1').textContent = one.status })</script>`,
  '/reboot': '<h1>Rebooting</h1>',
}

let port = 0
const hits: string[] = []
const held: ServerResponse[] = []
function answer(asked: IncomingMessage, reply: ServerResponse) {
  const url = asked.url ?? '/'
  hits.push(`${asked.headers.host?.split(':')[0]}${url}`)
  if (url === '/download') {
    reply.writeHead(200, { 'content-disposition': 'attachment; filename="../..\u002f.bashrc"' }).end('not opened')
    return
  }
  if (url === '/redirect-out') {
    // A host is told of once: Chromium itself may have asked for one that a page before links to.
    reply.writeHead(302, { location: 'http://away.test/' }).end()
    return
  }
  if (url === '/held') return void held.push(reply)
  if (url === '/late') return void systemClock.after(700, () => reply.end(pages[url]))
  const page = pages[url]
  reply.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
  reply.end(page?.replaceAll('PORT', String(port)).replaceAll('STUN', String(stun.address().port)))
}
const server = createServer(answer)
const stun = createSocket('udp4')
let packets = 0
const folder = mkdtempSync(join(tmpdir(), 'jarvis-pages-'))
let browsing: Browsing
let tabs = 0

const parts = () => {
  const chromium = findChromium()
  if (chromium === undefined) throw new Error('There is no Chromium.')
  return {
    chromium,
    folder: () => ({ name: 'session', path: folder, write: true, own: [] }),
    isPrivate: (place: string) => place.startsWith('router.test:'),
    listed: () => undefined,
    // Every name leads to loopback, which the production rule refuses.
    egress: {
      scratch: makeScratch,
      resolve: async (host: string) => (/^(?:site|router)\.test$/.test(host) ? ['127.0.0.1'] : []),
      isAllowed: (address: string) => address === '127.0.0.1',
    },
  }
}
const signal = () => AbortSignal.timeout(30_000)

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
  stun.on('message', () => (packets += 1))
  stun.bind(0, '127.0.0.1')
  await once(stun, 'listening')
})
afterAll(async () => {
  await browsing?.end()
  server.close()
  stun.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Opens a page of the site in the browser that all tests share. */
async function at(path: string, host = 'site.test', isNewTab = false) {
  browsing ??= await startBrowsing({ ...parts(), clock: systemClock, nextTab: () => (tabs += 1) })
  const address = pageAddress(`http://${host}:${port}${path}`)
  if ('refused' in address) throw new Error(address.refused)
  const done = await browsing.open(address, signal(), isNewTab)
  return { ...done, text: done.tab.outline({}).text }
}

/** The number of the element whose line has these words. */
const numberOf = (text: string, words: string): number => {
  const [, , number] = new RegExp(`${words}.*\\[(\\d+)\\.(\\d+)\\]`).exec(text) ?? []
  if (number === undefined) throw new Error(`No line has ${words}:\n${text}`)
  return Number(number)
}

async function click(text: string, words: string) {
  const number = numberOf(text, words)
  return browsing.act(async (tab) => (await tab.find(number)).locator.click(), signal())
}

test('a page is read, and a link on it is known by what it leads to', async () => {
  const { tab, text, notes } = await at('/')
  expect(text).toContain('- heading "Home"')
  const seen = tab.seen(numberOf(text, 'Next page'))
  expect(seen).toMatchObject({ role: 'link', name: 'Next page', leadsTo: `http://site.test:${port}/next` })
  expect(tab.seen(numberOf(text, 'Part'))?.leadsTo).toBeUndefined()
  expect(tab.seen(numberOf(text, 'Elsewhere'))?.leadsTo).toBe('http://other.test/')
  expect(notes).toEqual([])
})

test('a dialog is dismissed and told of, and accepted once where that was approved', async () => {
  const { text } = await at('/dialog')
  const { notes, tab } = await click(text, 'Delete')
  expect(notes).toEqual(['The page opened a dialog (confirm): "Delete all?". It was dismissed.'])
  expect(await tab.page.title()).toBe('false')
  const asked = browsing.asked()
  if (asked === undefined) throw new Error('Nothing was asked.')
  browsing.accept(asked)
  expect((await click(text, 'Delete')).notes[0]).toContain('accepted, as was approved')
  expect(await tab.page.title()).toBe('true')
  expect((await click(text, 'Delete')).notes[0]).toContain('dismissed')
})

test('a download is kept under a plain name, and not opened', async () => {
  await at('/')
  const done = await browsing.act(
    async ({ page }) => void (await page.goto(`http://site.test:${port}/download`).catch(() => undefined)),
    signal(),
  )
  await expect
    .poll(() => [...done.notes, ...browsing.notes()].join())
    .toMatch(/session\/downloads\/bashrc, 10 bytes\. It was not opened\./)
  expect(readdirSync(join(folder, 'downloads'))).toEqual(['bashrc'])
  expect(readFileSync(join(folder, 'downloads/bashrc'), 'utf8')).toBe('not opened')
})

test('a window that a page opens is a tab of its own, and so is one that a call asks for', async () => {
  const { text, tab } = await at('/popup')
  const { notes } = await click(text, 'Open')
  expect(notes.join()).toMatch(/The page opened tab \d+\./)
  expect(browsing.tab().id).toBe(tab.id)
  const popup = browsing.tabs().find(({ id }) => id !== tab.id)
  await browsing.close(popup?.id ?? 0)
  const address = pageAddress(`http://site.test:${port}/next`)
  if ('refused' in address) throw new Error(address.refused)
  const second = await browsing.open(address, signal(), true)
  expect([browsing.tabs().length, second.tab.outline({}).text]).toEqual([2, expect.stringContaining('"Next"')])
  browsing.use(tab.id)
  await browsing.tab().read()
  expect(browsing.tab().outline({}).text).toContain('"Open"')
  await browsing.close(second.tab.id)
  expect(browsing.tabs().map(({ id }) => id)).toEqual([tab.id])
})

test('a window whose address answers late is told of by the call that opened it, or said not to have answered', async () => {
  const { text, tab } = await at('/popup')
  expect((await click(text, 'Late')).notes.join()).toMatch(/The page opened tab \d+\./)
  expect((await click(text, 'Held')).notes).toEqual([
    'The page opened another tab, of which no address has answered yet.',
  ])
  expect((await click(text, 'Open')).notes.join()).toMatch(/^The page opened tab \d+\.$/)
  for (const reply of held) reply.end('<h1>Held</h1>')
  await expect.poll(() => browsing.notes().join()).toMatch(/^The page opened tab \d+\.$/)
  for (const { id } of browsing.tabs()) if (id !== tab.id) await browsing.close(id)
  expect(browsing.tabs().map(({ id }) => id)).toEqual([tab.id])
})

test('what is in a frame is read, and its links are only clicks', async () => {
  const { text, tab } = await at('/frame')
  expect(tab.seen(numberOf(text, 'Framed link'))?.leadsTo).toBeUndefined()
  expect((await tab.find(numberOf(text, 'button "Framed"'))).seen.role).toBe('button')
  expect([tab.isMixed(), (await at('/next')).tab.isMixed()]).toEqual([true, false])
})

test('what a button, a field or a picture is tied to by more than its place leads elsewhere, or is not known', async () => {
  const { text, tab } = await at('/owners')
  const elsewhere = async (words: string) => (await tab.find(numberOf(text, words))).seen.elsewhere
  const other = 'http://other.test'
  expect(await elsewhere('button "Paid"')).toEqual(['http://paid.test/pay'])
  expect(await elsewhere('textbox "Amount"')).toEqual(['http://paid.test/pay'])
  expect(await elsewhere('button "Twice"')).toEqual([`${other}/twice`])
  expect(await elsewhere('button "Lined"')).toEqual([`${other}/line`])
  expect(await elsewhere('img "Mapped"')).toEqual([`${other}/area`])
  expect(await elsewhere('button "Slotted"')).toBeUndefined()
  // Fields that are called as what is asked of a form take nothing away.
  expect(await elsewhere('button(?= \\[)')).toEqual([])
  // The form is not above the button, and yet the button sends it. No page before links to this host, which is told of once.
  const { notes } = await click(text, 'button "Paid"')
  // The click may end before the proxy hears of it.
  await expect
    .poll(() => {
      notes.push(...browsing.notes())
      return notes.join()
    })
    .toContain('The page asked for paid.test:80')
})

test('a button that was replaced or renamed is gone', async () => {
  const replaced = await at('/replaced')
  const number = numberOf(replaced.text, 'Save')
  await replaced.tab.page.evaluate("dispatchEvent(new Event('replace'))")
  await expect(replaced.tab.find(number)).rejects.toThrow('is not on the page any more')
  const renamed = await at('/renamed')
  await renamed.tab.page.evaluate("document.getElementById('b').textContent = 'Delete everything'")
  await expect(renamed.tab.find(numberOf(renamed.text, 'Save'))).rejects.toThrow('is not on the page any more')
})

test('what a password field holds is shown to nobody', async () => {
  const { text, tab } = await at('/secret')
  expect(text).toContain('visible')
  expect(text).not.toContain('hunter2')
  expect((await tab.find(numberOf(text, 'Password'))).seen.isSecret).toBe(true)
  expect((await tab.find(numberOf(text, 'Name'))).seen.isSecret).toBe(false)
})

test.each([
  'file:///usr/',
  'chrome://version',
  'view-source:http://site.test/',
  'data:text/html,x',
  'javascript:alert(1)',
])('%s is opened by nobody', async (url) => {
  expect(pageAddress(url)).toHaveProperty('refused')
  await at('/')
  const { notes } = await browsing.act(
    ({ page }) =>
      page.goto(url).then(
        () => undefined,
        () => undefined,
      ),
    signal(),
  )
  const shown = browsing.tabs().map(({ page }) => page.url())
  expect(shown.filter((at) => !/^(?:http|about:blank|chrome-error)/.test(at))).toEqual([])
  if (url.startsWith('file:')) expect(notes.join()).toContain('Its tab was closed')
})

test('a link to a file is no link for anybody', async () => {
  const { text, tab } = await at('/file')
  expect(tab.seen(numberOf(text, 'Accounts'))?.leadsTo).toBeUndefined()
  await click(text, 'Accounts')
  expect(tab.page.url()).toBe(`http://site.test:${port}/file`)
})

test('a page of 5,000 links fits into 24 KiB, and one of them is found', async () => {
  const { tab, text } = await at('/links')
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(24 * 1024)
  expect(text).toMatch(/What can be acted on \(\d+ of 5000\)/)
  expect(tab.outline({ find: 'number 4999' }).text).toMatch(/^- link "Link number 4999" \[\d+\.\d+\]/)
})

test('hosts that nobody opened are refused and named, also after a redirect', async () => {
  const before = hits.length
  const { notes } = await at('/resources')
  expect(notes.join()).toMatch(
    /asked for (?:evil\.test:80, cdn\.test:80|cdn\.test:80, evil\.test:80), which its site may not reach/,
  )
  const away = await at('/redirect-out')
  expect([away.text, away.notes.join()]).toEqual([
    expect.stringContaining('is not on the list'),
    expect.stringContaining('away.test:80'),
  ])
  expect(hits.slice(before).filter((hit) => !hit.startsWith('site.test'))).toEqual([])
})

test('a page reaches neither this machine nor its network, nor past the proxy by WebRTC', async () => {
  const before = hits.length
  const { tab } = await at('/local')
  await tab.page.getByText(/rejected|fulfilled/).waitFor()
  expect(hits.slice(before).filter((hit) => !hit.startsWith('site.test'))).toEqual([])
  const rtc = await at('/rtc')
  await rtc.tab.page.getByText('done').waitFor()
  expect(packets).toBe(0)
  expect(await rtc.tab.page.innerText('h1')).not.toMatch(/\d+\.\d+\.\d+\.\d+ \d+ typ (?:host|srflx)/)
})

test('a page of the internet sends nothing to a private site that is open beside it, by script, form, link or picture', async () => {
  const router = await at('/', 'router.test')
  await router.tab.page.context().addCookies([{ name: 'session', value: 'admin', url: `http://router.test:${port}` }])
  const before = hits.length
  const attack = await at('/attack', 'site.test', true)
  await attack.tab.page.getByRole('heading', { name: /rejected|fulfilled/ }).waitFor()
  await click(attack.text, 'Win')
  await attack.tab.page.goBack()
  await browsing.act(async (tab) => tab.page.getByText('Get').click(), signal())
  expect(hits.slice(before).filter((hit) => !hit.startsWith('site.test'))).toEqual([])
  expect(await attack.tab.page.context().cookies()).toEqual([])

  // Its own pages reach it, and keep its cookies from tab to tab.
  const again = await at('/next', 'router.test')
  expect(again.text).toContain('"Next"')
  expect(await again.tab.page.context().cookies()).toMatchObject([{ name: 'session' }])
  expect(browsing.tabs().map(({ id }) => id)).not.toContain(attack.tab.id)
  for (const { id } of browsing.tabs()) await browsing.close(id)
})

test('a browser ends after ten minutes without use, and its memory with it', async () => {
  const clock = createFakeClock(0)
  let ended = 0
  const browsers = new Browsers({
    clock,
    partsOf: parts,
    report: (error) => {
      throw error
    },
    async start(all) {
      const started = await startBrowsing({ ...all, clock: systemClock })
      const end = started.end.bind(started)
      started.end = async () => {
        await end()
        ended += 1
      }
      return started
    },
  })
  const address = pageAddress(`http://site.test:${port}/`)
  if ('refused' in address) throw new Error(address.refused)
  await browsers.on('ses_1', (one) => one.open(address, signal()))
  await clock.advance(idleMs - 1)
  await browsers.onOpen('ses_1', async (one) => one.notes())
  await clock.advance(idleMs - 1)
  expect(browsers.running()).toBe(1)
  await clock.advance(1)
  expect(browsers.running()).toBe(0)
  await expect.poll(() => ended).toBe(1)
  await expect(browsers.onOpen('ses_1', async (one) => one.notes())).rejects.toThrow('No page is open')
})

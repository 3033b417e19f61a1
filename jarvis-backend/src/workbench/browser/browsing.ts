import type { BrowserContext, Dialog, Page } from 'playwright-core'
import { Mistake } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { quoted } from '../../redaction/visible.ts'
import { type Allows, type EgressParts, openWay, type Way } from '../egress/proxy.ts'
import type { MakeScratch } from '../scratch.ts'
import { type Arriving, watchArrivals } from './arriving.ts'
import { createDownloads } from './downloads.ts'
import { type Launched, launchChromium } from './launch.ts'
import { type PageAddress, pageAddress, placesFor } from './site.ts'
import { createTab, type Tab } from './tab.ts'

/** A dialog that a page opened last. `text`: the page's words. */
export type Asked = { type: string; text: string; pageUrl: string }

/** What came of it: `news`, what the page shows that it did not show before; `notes` as of `Browsing.notes`. */
export type Done = { tab: Tab; news: string; notes: string[] }

/** One session's browser: a Chromium in a sandbox with a profile of its own, which goes with it. */
export type Browsing = {
  /** The tab that calls are about. @throws Mistake where no page is open */
  tab(): Tab
  tabs(): readonly Tab[]
  /** @throws Mistake */
  use(id: number): void
  close(id: number): Promise<void>
  /** Lets the browser reach the site, and opens the page. @throws Error with Chromium's words */
  open(address: PageAddress, signal: AbortSignal, isNewTab?: boolean): Promise<Done>
  /** Does something to a page, waits until the page is quiet, and tells of what happened meanwhile. */
  act(deed: (tab: Tab) => Promise<void>, signal: AbortSignal): Promise<Done>
  /** What happened since it was asked last: dialogs, downloads, new tabs, hosts that were refused. */
  notes(): string[]
  asked(): Asked | undefined
  /** The next dialog with the same words is accepted. @param text what is typed into it */
  accept(asked: Asked, text?: string): void
  end(): Promise<void>
}

export type BrowsingParts = {
  chromium: { path: string; folder?: string }
  clock: Clock
  /** Numbers of tabs are given once in a process. */
  nextTab(): number
  /** Whether a place that no page was opened at may be reached, and whether a place may be in this network. */
  listed: Allows
  isPrivate(place: string): boolean
  folder(): string
  egress: EgressParts & { scratch: MakeScratch }
}

const viewport = { width: 1280, height: 720 }
const mostTabs = 6
const openMs = 30_000
const quietMs = 3_000
const actMs = 10_000
const mostNotes = 20
/** What Chromium asks for by itself. It is refused as all else, and nobody needs to hear of it. */
const ownCalls =
  /^(?:update|clients\d?|android\.clients|optimizationguide-pa|content-autofill|safebrowsing|accounts|www)\.(?:googleapis|google)\.com:|^[\w.-]+\.gvt1\.com:/

/** Starts a browser. @throws Error saying why there is none */
export async function startBrowsing(parts: BrowsingParts): Promise<Browsing> {
  const { clock } = parts
  const allowed = new Set<string>()
  const allows: Allows = (place) =>
    allowed.has(place) ? (parts.isPrivate(place) ? 'private' : 'public') : parts.listed(place)
  const way: Way = await openWay(allows, parts.egress)
  let launched: Launched | undefined
  let context: BrowserContext
  let arriving: Arriving
  try {
    launched = await launchChromium(parts.chromium, way.socket, parts.egress.scratch)
    context = await launched.browser.newContext({
      viewport,
      acceptDownloads: true,
      serviceWorkers: 'block',
      permissions: [],
    })
    arriving = await watchArrivals(context, await launched.browser.newBrowserCDPSession())
  } catch (error) {
    await launched?.end()
    await way.close()
    throw error
  }
  const { downloads, end } = launched
  context.setDefaultTimeout(actMs)
  const tabs = new Map<number, Tab>()
  let current: number | undefined
  let notes: string[] = []
  let asked: Asked | undefined
  let answer: (Asked & { reply: string | undefined }) | undefined
  const told = new Set<string>()
  const held = new Set<Promise<unknown>>()
  const keep = createDownloads(downloads, parts.folder, clock)

  const note = (text: string) => {
    if (notes.length < mostNotes) notes.push(text)
  }

  function onDialog(page: Page, dialog: Dialog) {
    const [type, text, pageUrl] = [dialog.type(), dialog.message(), page.url()]
    // It asks whether to leave the page, which the call wanted.
    if (type === 'beforeunload') return void dialog.accept().catch(() => undefined)
    asked = { type, text, pageUrl }
    const said = `The page opened a dialog (${type}): ${quoted(text, 300)}.`
    const accepted = answer !== undefined && isSame(answer, asked) ? answer : undefined
    answer = undefined
    note(`${said} It was ${accepted === undefined ? 'dismissed' : 'accepted, as was approved'}.`)
    const done = accepted === undefined ? dialog.dismiss() : dialog.accept(accepted.reply)
    done.catch(() => undefined)
  }

  /** What a call waits for before it tells what it did. */
  function hold(work: Promise<unknown>): void {
    held.add(work)
    void work.finally(() => held.delete(work))
  }

  function adopt(page: Page) {
    if (tabs.size >= mostTabs) {
      note(`The page opened another tab. It was closed: a browser has ${mostTabs} at most.`)
      return void page.close().catch(() => undefined)
    }
    const tab = createTab(parts.nextTab(), page)
    tabs.set(tab.id, tab)
    page.on('dialog', (dialog) => onDialog(page, dialog))
    page.on('download', (download) =>
      hold(keep(download).then(note, (error: Error) => note(`A download failed: ${error.message}`))),
    )
    // Chromium gives up a navigation to a file before it tells of the download.
    page.on('requestfailed', (request) => {
      if (request.isNavigationRequest() && request.failure()?.errorText === 'net::ERR_ABORTED')
        hold(page.waitForEvent('download', { timeout: quietMs }).catch(() => undefined))
    })
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) judge(page)
    })
    page.on('crash', () => note('The page crashed.'))
    page.on('close', () => {
      tabs.delete(tab.id)
      if (current === tab.id) current = [...tabs.keys()].at(-1)
    })
    if (current === undefined) current = tab.id
    else note(`The page opened tab ${tab.id}.`)
  }

  /** Only http(s) is shown, however a page came there. */
  function judge(page: Page): void {
    const refused = refusedUrl(page)
    if (refused === undefined) return
    note(`The page went to ${quoted(page.url(), 200)}, which ${refused}. Its tab was closed.`)
    void page.close().catch(() => undefined)
  }

  const tabNow = (): Tab => {
    const tab = current === undefined ? undefined : tabs.get(current)
    if (tab === undefined) throw new Mistake('No page is open in this conversation. Open one with open_page.')
    return tab
  }

  /** Waits until the page loads nothing more, then for the tabs and downloads that it began. Each takes three seconds at most, because many pages never stop loading. */
  async function quiet(page: Page) {
    await page.waitForLoadState('networkidle', { timeout: quietMs }).catch(() => undefined)
    const kept = async () => {
      while (held.size > 0) await Promise.all(held)
    }
    const all = Promise.all([kept(), arriving.shown()])
    await Promise.race([all, new Promise<void>((resolve) => clock.after(quietMs, resolve))])
    const unknown = arriving.giveUp()
    if (unknown > 0)
      note(
        `The page opened ${unknown === 1 ? 'another tab' : `${unknown} tabs`}, of which no address has answered yet.`,
      )
  }

  function refusedPlaces(): string[] {
    const fresh = way
      .contacts()
      .filter(({ place, refused }) => refused !== undefined && !told.has(place) && !ownCalls.test(place))
    for (const { place } of fresh) told.add(place)
    const unlisted = fresh.filter(({ refused }) => refused === 'not_listed').map(({ place }) => place)
    const others = fresh.filter(({ refused }) => refused !== 'not_listed')
    return [
      ...(unlisted.length === 0
        ? []
        : [
            `The page asked for ${unlisted.slice(0, 12).join(', ')}${unlisted.length > 12 ? ` and ${unlisted.length - 12} more` : ''}, which this browser may not reach: a page that was opened may, and what policy.yaml lists under workbench: egress.`,
          ]),
      ...others.map(
        ({ place, refused }) =>
          `${place} was not reached: ${refused === 'private' ? 'it is no public address' : `it is ${refused}`}.`,
      ),
    ]
  }

  function notesNow(): string[] {
    const all = [...notes, ...refusedPlaces()]
    notes = []
    return all
  }

  async function settled(tab: Tab, signal: AbortSignal): Promise<Done> {
    signal.throwIfAborted()
    await quiet(tab.page)
    // Closed before it is read: the listener only begins to close it.
    if (!tab.page.isClosed() && refusedUrl(tab.page) !== undefined) await tab.page.close()
    const news = tab.page.isClosed() ? '' : await tab.read()
    return { tab, news, notes: notesNow() }
  }

  context.on('page', adopt)
  return {
    tab: tabNow,
    tabs: () => [...tabs.values()],
    use(id) {
      if (!tabs.has(id))
        throw new Mistake(`tab: there is no tab ${id}. Tabs: ${[...tabs.keys()].join(', ') || 'none'}.`)
      current = id
    },
    async close(id) {
      const tab = tabs.get(id)
      if (tab === undefined) throw new Mistake(`tab: there is no tab ${id}.`)
      await tab.page.close()
    },
    async open(address, signal, isNewTab = false) {
      for (const place of placesFor(address)) {
        allowed.add(place)
        told.delete(place)
      }
      if (current === undefined || isNewTab) {
        if (tabs.size >= mostTabs) throw new Mistake(`${mostTabs} tabs are open. Close one with switch_tab.`)
        current = undefined
        await context.newPage()
      }
      const tab = tabNow()
      await tab.page
        .goto(address.url, { timeout: openMs, waitUntil: 'domcontentloaded', signal })
        .catch((error: Error) => {
          // The address hands out a file: it is kept or refused, and the page stays.
          if (!error.message.includes('Download is starting')) throw error
        })
      return settled(tab, signal)
    },
    async act(deed, signal) {
      const tab = tabNow()
      await deed(tab)
      return settled(tab, signal)
    },
    notes: notesNow,
    asked: () => asked,
    accept(to, reply) {
      answer = { ...to, reply }
    },
    async end() {
      await end()
      await way.close()
    },
  }
}

/** Why what the page shows now is shown to nobody. */
function refusedUrl(page: Page): string | undefined {
  const url = page.url()
  if (url === '' || url === 'about:blank' || url.startsWith('chrome-error:')) return undefined
  const address = pageAddress(url)
  return 'refused' in address ? address.refused : undefined
}

const isSame = (one: Asked, other: Asked) => one.type === other.type && one.text === other.text

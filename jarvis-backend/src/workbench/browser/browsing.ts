import type { Dialog, Page } from 'playwright-core'
import { quoted } from 'redaction/visible'
import { Mistake } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Contact, type EgressParts, openWay, type Way } from '../egress/proxy.ts'
import type { RootAt } from '../files/walk.ts'
import type { MakeScratch } from '../scratch.ts'
import { type Arriving, watchArrivals } from './arriving.ts'
import { createDownloads } from './downloads.ts'
import { type Launched, launchChromium } from './launch.ts'
import { type PageAddress, pageAddress, placesFor } from './site.ts'
import { mostSites, type SiteRules, Sites } from './sites.ts'
import { createTab, type Tab } from './tab.ts'

/** A dialog that a page opened last. `text`: the page's words. */
export type Asked = { type: string; text: string; pageUrl: string }

/** The outcome of an act. `news`: the text that the page did not show before. `notes`: as `Browsing.notes` returns them. */
export type Done = { tab: Tab; news: string; notes: string[] }

/** One session's browser: a Chromium in a sandbox, with a profile and a way out for each site, which go with it. */
export type Browsing = {
  /** The tab that calls are about. @throws Mistake where no page is open */
  tab(): Tab
  tabs(): readonly Tab[]
  /** @throws Mistake */
  use(id: number): void
  close(id: number): Promise<void>
  /**
   * Opens a page among those of its site, which alone may reach the site. Where the shown tab is of another site, its page is closed.
   * @throws Error with Chromium's words
   */
  open(address: PageAddress, signal: AbortSignal, isNewTab?: boolean): Promise<Done>
  /** Does something to a page, waits until the page is quiet, and tells of what happened meanwhile. */
  act(deed: (tab: Tab) => Promise<void>, signal: AbortSignal): Promise<Done>
  /** Events since the last call: dialogs, downloads, new tabs, refused hosts. */
  notes(): string[]
  asked(): Asked | undefined
  /** The next dialog with the same words is accepted. @param text what is typed into it */
  accept(asked: Asked, text?: string): void
  end(): Promise<void>
}

export type BrowsingParts = SiteRules & {
  chromium: { path: string; folder?: string }
  clock: Clock
  /** Numbers of tabs are given once in a process. */
  nextTab(): number
  /** The session's folder, made on first use. */
  folder(): RootAt
  egress: EgressParts & { scratch: MakeScratch }
}

const mostTabs = 6
const openMs = 30_000
const quietMs = 3_000
const actMs = 10_000
const mostNotes = 20
/** Hosts that Chromium asks for by itself. They are refused as all others, and no note mentions them. */
const ownCalls =
  /^(?:update|clients\d?|android\.clients|optimizationguide-pa|content-autofill|safebrowsing|accounts|www)\.(?:googleapis|google)\.com:|^[\w.-]+\.gvt1\.com:/

/** Starts a browser. @throws Error saying why there is none */
export async function startBrowsing(parts: BrowsingParts): Promise<Browsing> {
  const { clock } = parts
  const sites = new Sites(parts)
  const ways: Way[] = []
  let launched: Launched | undefined
  let arriving: Arriving
  const endAll = async () => {
    await launched?.end()
    await Promise.all(ways.map((way) => way.close()))
  }
  try {
    for (let lane = 0; lane < mostSites; lane += 1) ways.push(await openWay(sites.allows(lane), parts.egress))
    const sockets = ways.map(({ socket }) => socket)
    launched = await launchChromium(parts.chromium, sockets, parts.egress.scratch)
    arriving = await watchArrivals(await launched.browser.newBrowserCDPSession(), sites.pages)
  } catch (error) {
    await endAll()
    throw error
  }
  const { browser, downloads } = launched
  const tabs = new Map<number, Tab>()
  let current: number | undefined
  let notes: string[] = []
  let asked: Asked | undefined
  let answer: (Asked & { reply: string | undefined }) | undefined
  /** Refused places that were told of, by way. */
  const told = ways.map(() => new Set<string>())
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

  /** Adds work that a call waits for before it answers. */
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
    page.on('close', () => forget(tab))
    if (current === undefined) current = tab.id
    else note(`The page opened tab ${tab.id}.`)
  }

  function forget({ id }: Tab): void {
    tabs.delete(id)
    if (current === id) current = [...tabs.keys()].at(-1)
  }
  /** Closes a tab, which is none from now on. Chromium may take for ever over a page that has crashed, and nobody waits for that. */
  async function shut(tab: Tab): Promise<void> {
    forget(tab)
    const closed = tab.page.close().catch(() => undefined)
    await Promise.race([closed, new Promise<void>((resolve) => clock.after(quietMs, resolve))])
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
    const fresh = ways.flatMap((way, lane) =>
      way.contacts().filter(({ place, refused }) => {
        if (refused === undefined || told[lane]?.has(place) || ownCalls.test(place)) return false
        told[lane]?.add(place)
        return true
      }),
    )
    const unlisted = fresh.filter(({ refused }) => refused === 'not_listed').map(({ place }) => place)
    const others = fresh.filter(({ refused }) => refused !== 'not_listed')
    return [
      ...(unlisted.length === 0
        ? []
        : [
            `The page asked for ${unlisted.slice(0, 12).join(', ')}${unlisted.length > 12 ? ` and ${unlisted.length - 12} more` : ''}, which its site may not reach: pages reach their own site, and what policy.yaml lists under workbench: egress.`,
          ]),
      ...others.map(({ place, refused }) => `${place} was not reached: ${unreachedWords[refused ?? 'unreachable']}.`),
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
    const isRefused = !tab.page.isClosed() && refusedUrl(tab.page) !== undefined
    if (isRefused) await shut(tab)
    const news = isRefused || tab.page.isClosed() ? '' : await tab.read()
    return { tab, news, notes: notesNow() }
  }

  /** A page without an address, among the pages of a site. @throws Mistake where too many are open */
  async function newPage(address: PageAddress): Promise<void> {
    const site = await sites.open(browser, address, (context) => {
      context.setDefaultTimeout(actMs)
      context.on('page', (page) => {
        adopt(page)
        arriving.look()
      })
    })
    if (site === undefined) throw new Mistake(`${mostSites} sites are open. Close a tab with switch_tab.`)
    for (const place of placesFor(address)) told[site.lane]?.delete(place)
    current = undefined
    await site.context.newPage()
  }

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
      await shut(tab)
    },
    async open(address, signal, isNewTab = false) {
      const before = current === undefined ? undefined : tabs.get(current)
      const isSameSite = before !== undefined && sites.of(address)?.context === before.page.context()
      if (!isSameSite || isNewTab) {
        if (!isNewTab && before !== undefined) await shut(before)
        if (tabs.size >= mostTabs) throw new Mistake(`${mostTabs} tabs are open. Close one with switch_tab.`)
        await newPage(address)
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
    end: endAll,
  }
}

/** Why what the page shows now is shown to nobody. */
function refusedUrl(page: Page): string | undefined {
  const url = page.url()
  if (url === '' || url === 'about:blank' || url.startsWith('chrome-error:')) return undefined
  const address = pageAddress(url)
  return 'refused' in address ? address.refused : undefined
}

const unreachedWords: Readonly<Record<NonNullable<Contact['refused']>, string>> = {
  not_listed: 'it is not listed',
  private: 'it is no public address',
  own: 'it is JARVIS itself',
  unresolved: 'it has no address',
  unreachable: 'it does not answer',
  too_much: 'more than 1 GiB was carried',
}

const isSame = (one: Asked, other: Asked) => one.type === other.type && one.text === other.text

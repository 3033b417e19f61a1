import type { Dialog, Page } from 'playwright-core'
import { quoted } from 'redaction/visible'
import { Mistake } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Contact, type EgressParts, openWay, refusedHeader, type Way } from '../egress/proxy.ts'
import type { RootAt } from '../files/walk.ts'
import type { MakeScratch } from '../scratch.ts'
import { type Arriving, watchArrivals } from './arriving.ts'
import { createDownloads, type KeepDownload } from './downloads.ts'
import { type Launched, launchChromium } from './launch.ts'
import { type PageAddress, pageAddress, placesFor } from './site.ts'
import { mostSites, type SiteRules, Sites } from './sites.ts'
import { BrowserTab, type Tab } from './tab.ts'

/** The last dialog that a page opened. `text`: the page's words. */
export type Asked = { type: string; text: string; pageUrl: string }

/**
 * The result of an action on a page. `news`: text that the page did not show before; undefined if the action led to a page at another address.
 * `notes`: as `Browsing.notes` returns them. `unreached`: why the tab shows no page of a site, such as a page that the proxy refused.
 */
export type Done = { tab: Tab; news: string | undefined; notes: string[]; unreached?: string | undefined }

/** One session's browser: Chromium in a sandbox, with a profile and an own proxy for each site. Both are removed when the browser ends. */
export interface Browsing {
  /** The current tab, to which calls apply. @throws Mistake if no page is open */
  tab(): Tab
  tabs(): readonly Tab[]
  /** Makes a tab the current one. @throws Mistake */
  use(id: number): void
  close(id: number): Promise<void>
  /**
   * Opens a page in the browser context of its site; only pages of that context may reach the site. If the current tab belongs to another site, its
   * page is closed.
   * @throws Error with Chromium's message
   */
  open(address: PageAddress, signal: AbortSignal, isNewTab?: boolean): Promise<Done>
  /** Carries out an action on the current page, waits until the page is quiet, and reads it. */
  act(deed: (tab: Tab) => Promise<void>, signal: AbortSignal): Promise<Done>
  /** Events since the last call: dialogs, downloads, new tabs, refused hosts. */
  notes(): string[]
  asked(): Asked | undefined
  /** Accepts the next dialog if it has the same type and text. @param text the answer that is typed into the dialog */
  accept(asked: Asked, text?: string): void
  end(): Promise<void>
}

export type BrowsingParts = SiteRules & {
  chromium: { path: string; folder?: string }
  clock: Clock
  /** Returns a new tab number, unique in this process. */
  nextTab(): number
  /** The session's folder. It is made on first use. */
  folder(): RootAt
  /** Called with the path of each download that was kept in the folder. */
  kept?(path: string): void
  egress: EgressParts & { scratch: MakeScratch }
}

const mostTabs = 6
const openMs = 30_000
const quietMs = 3_000
const actMs = 10_000
const mostNotes = 20
/** Hosts that Chromium itself contacts. They are refused like all others, but no note mentions them. */
const ownCalls =
  /^(?:update|clients\d?|android\.clients|optimizationguide-pa|content-autofill|safebrowsing|accounts|www)\.(?:googleapis|google)\.com:|^[\w.-]+\.gvt1\.com:/

/** Starts a browser. @throws Error with the reason if no browser can be started */
export async function startBrowsing(parts: BrowsingParts): Promise<Browsing> {
  const sites = new Sites(parts)
  const ways: Way[] = []
  let launched: Launched | undefined
  try {
    for (let lane = 0; lane < mostSites; lane += 1) ways.push(await openWay(sites.allows(lane), parts.egress))
    const sockets = ways.map(({ socket }) => socket)
    launched = await launchChromium(parts.chromium, sockets, parts.egress.scratch)
    const arriving = await watchArrivals(await launched.browser.newBrowserCDPSession(), sites.pages)
    return new SandboxedBrowsing(parts, { sites, ways, launched, arriving })
  } catch (error) {
    await endAll(launched, ways)
    throw error
  }
}

async function endAll(launched: Launched | undefined, ways: readonly Way[]): Promise<void> {
  await launched?.end()
  await Promise.all(ways.map((way) => way.close()))
}

type Started = { sites: Sites; ways: readonly Way[]; launched: Launched; arriving: Arriving }

class SandboxedBrowsing implements Browsing {
  readonly #clock: Clock
  readonly #nextTab: () => number
  readonly #started: Started
  readonly #keepDownload: KeepDownload
  readonly #tabs = new Map<number, Tab>()
  #current: number | undefined
  #notes: string[] = []
  #asked: Asked | undefined
  /** The answer that a person approved for the next dialog with this text. */
  #answer: (Asked & { reply: string | undefined }) | undefined
  /** The pages that show the proxy's refusal. */
  readonly #refused = new WeakSet<Page>()
  /** The refused hosts that notes already mentioned, one set for each proxy. */
  readonly #told: readonly Set<string>[]
  /** Pending downloads. A call waits for them before it returns. */
  readonly #held = new Set<Promise<unknown>>()

  constructor({ clock, nextTab, folder, kept }: BrowsingParts, started: Started) {
    this.#clock = clock
    this.#nextTab = nextTab
    this.#started = started
    this.#told = started.ways.map(() => new Set<string>())
    this.#keepDownload = createDownloads(started.launched.downloads, { root: folder, kept }, clock)
  }

  tab(): Tab {
    const tab = this.#current === undefined ? undefined : this.#tabs.get(this.#current)
    if (tab === undefined) throw new Mistake('No page is open in this conversation. Open one with open_page.')
    return tab
  }

  tabs(): readonly Tab[] {
    return [...this.#tabs.values()]
  }

  use(id: number): void {
    if (!this.#tabs.has(id))
      throw new Mistake(`tab: there is no tab ${id}. Tabs: ${[...this.#tabs.keys()].join(', ') || 'none'}.`)
    this.#current = id
  }

  async close(id: number): Promise<void> {
    const tab = this.#tabs.get(id)
    if (tab === undefined) throw new Mistake(`tab: there is no tab ${id}.`)
    await this.#shut(tab)
  }

  async open(address: PageAddress, signal: AbortSignal, isNewTab = false): Promise<Done> {
    const before = this.#current === undefined ? undefined : this.#tabs.get(this.#current)
    const isSameSite = before !== undefined && this.#started.sites.of(address)?.context === before.page.context()
    if (!isSameSite || isNewTab) {
      if (!isNewTab && before !== undefined) await this.#shut(before)
      if (this.#tabs.size >= mostTabs) throw new Mistake(`${mostTabs} tabs are open. Close one with switch_tab.`)
      await this.#newPage(address)
    }
    const tab = this.tab()
    await tab.page
      .goto(address.url, { timeout: openMs, waitUntil: 'domcontentloaded', signal })
      .catch((error: Error) => {
        // The URL leads to a file. The download is kept or refused, and the current page stays.
        if (!error.message.includes('Download is starting')) throw error
      })
    return this.#settled(tab, signal)
  }

  async act(deed: (tab: Tab) => Promise<void>, signal: AbortSignal): Promise<Done> {
    const tab = this.tab()
    await deed(tab)
    return this.#settled(tab, signal)
  }

  notes(): string[] {
    const all = [...this.#notes, ...this.#refusedPlaces()]
    this.#notes = []
    return all
  }

  asked(): Asked | undefined {
    return this.#asked
  }

  accept(to: Asked, reply?: string): void {
    this.#answer = { ...to, reply }
  }

  end(): Promise<void> {
    return endAll(this.#started.launched, this.#started.ways)
  }

  #note(text: string): void {
    if (this.#notes.length < mostNotes) this.#notes.push(text)
  }

  #onDialog(page: Page, dialog: Dialog): void {
    const [type, text, pageUrl] = [dialog.type(), dialog.message(), page.url()]
    // The page asks whether it may be left. The call wanted to leave it, so the answer is yes.
    if (type === 'beforeunload') return void dialog.accept().catch(() => undefined)
    this.#asked = { type, text, pageUrl }
    const said = `The page opened a dialog (${type}): ${quoted(text, 300)}.`
    const answer = this.#answer
    const accepted = answer !== undefined && isSame(answer, this.#asked) ? answer : undefined
    this.#answer = undefined
    this.#note(`${said} It was ${accepted === undefined ? 'dismissed' : 'accepted, as was approved'}.`)
    const done = accepted === undefined ? dialog.dismiss() : dialog.accept(accepted.reply)
    done.catch(() => undefined)
  }

  #hold(work: Promise<unknown>): void {
    this.#held.add(work)
    void work.finally(() => this.#held.delete(work))
  }

  #adopt(page: Page): void {
    if (this.#tabs.size >= mostTabs) {
      this.#note(`The page opened another tab. It was closed: a browser has ${mostTabs} at most.`)
      return void page.close().catch(() => undefined)
    }
    const tab = new BrowserTab(this.#nextTab(), page)
    this.#tabs.set(tab.id, tab)
    page.on('dialog', (dialog) => this.#onDialog(page, dialog))
    page.on('download', (download) =>
      this.#hold(
        this.#keepDownload(download).then(
          (text) => this.#note(text),
          (error: Error) => this.#note(`A download failed: ${error.message}`),
        ),
      ),
    )
    // Chromium aborts the navigation to a file before it reports the download.
    page.on('requestfailed', (request) => {
      if (request.isNavigationRequest() && request.failure()?.errorText === 'net::ERR_ABORTED')
        this.#hold(page.waitForEvent('download', { timeout: quietMs }).catch(() => undefined))
    })
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.#judge(page)
    })
    page.on('response', (response) => {
      const isOfPage = response.request().isNavigationRequest() && response.frame() === page.mainFrame()
      if (!isOfPage) return
      if (response.headers()[refusedHeader] === undefined) this.#refused.delete(page)
      else this.#refused.add(page)
    })
    page.on('crash', () => this.#note('The page crashed.'))
    page.on('close', () => this.#forget(tab))
    if (this.#current === undefined) this.#current = tab.id
    else this.#note(`The page opened tab ${tab.id}.`)
  }

  #forget({ id }: Tab): void {
    this.#tabs.delete(id)
    if (this.#current === id) this.#current = [...this.#tabs.keys()].at(-1)
  }

  /** Closes a tab and forgets it at once. The wait is limited, because Chromium may never finish closing a page that has crashed. */
  async #shut(tab: Tab): Promise<void> {
    this.#forget(tab)
    const closed = tab.page.close().catch(() => undefined)
    await Promise.race([closed, this.#quietTime()])
  }

  #quietTime(): Promise<void> {
    return new Promise((resolve) => this.#clock.after(quietMs, resolve))
  }

  /** Closes a page that shows a URL other than http(s), however it got there. */
  #judge(page: Page): void {
    const refused = refusedUrl(page)
    if (refused === undefined) return
    this.#note(`The page went to ${quoted(page.url(), 200)}, which ${refused}. Its tab was closed.`)
    void page.close().catch(() => undefined)
  }

  /**
   * Waits until the page has finished loading, then for the tabs and downloads that it began. Each wait takes three seconds at most, because many
   * pages never stop loading.
   */
  async #quiet(page: Page): Promise<void> {
    await page.waitForLoadState('networkidle', { timeout: quietMs }).catch(() => undefined)
    const kept = async () => {
      while (this.#held.size > 0) await Promise.all(this.#held)
    }
    const { arriving } = this.#started
    await Promise.race([Promise.all([kept(), arriving.shown()]), this.#quietTime()])
    const unknown = arriving.giveUp()
    if (unknown > 0)
      this.#note(
        `The page opened ${unknown === 1 ? 'another tab' : `${unknown} tabs`}, of which no address has answered yet.`,
      )
  }

  #refusedPlaces(): string[] {
    const fresh = this.#started.ways.flatMap((way, lane) =>
      way.contacts().filter(({ place, refused }) => {
        if (refused === undefined || this.#told[lane]?.has(place) || ownCalls.test(place)) return false
        this.#told[lane]?.add(place)
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

  async #settled(tab: Tab, signal: AbortSignal): Promise<Done> {
    signal.throwIfAborted()
    await this.#quiet(tab.page)
    // The tab is closed here before it is read, because the listener has only begun to close it.
    const isRefused = !tab.page.isClosed() && refusedUrl(tab.page) !== undefined
    if (isRefused) await this.#shut(tab)
    const news = isRefused || tab.page.isClosed() ? '' : await tab.read()
    return { tab, news, notes: this.notes(), unreached: this.#unreached(tab.page) }
  }

  #unreached(page: Page): string | undefined {
    if (this.#refused.has(page)) return 'refused: the page may not reach it'
    return page.url().startsWith('chrome-error:') ? 'not reached' : undefined
  }

  /** Opens an empty page in the browser context of a site. @throws Mistake if too many sites are open */
  async #newPage(address: PageAddress): Promise<void> {
    const { sites, launched, arriving } = this.#started
    const site = await sites.open(launched.browser, address, (context) => {
      context.setDefaultTimeout(actMs)
      context.on('page', (page) => {
        this.#adopt(page)
        arriving.look()
      })
    })
    if (site === undefined) throw new Mistake(`${mostSites} sites are open. Close a tab with switch_tab.`)
    for (const place of placesFor(address)) this.#told[site.lane]?.delete(place)
    this.#current = undefined
    await site.context.newPage()
  }
}

/** Returns the reason why the page's present URL may not be shown; undefined if it may. */
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

import type { Browser, BrowserContext } from 'playwright-core'
import { relayAt } from 'sandbox/relay'
import type { Allows } from '../egress/proxy.ts'
import { type PageAddress, placesFor } from './site.ts'

/** A site in a browser, with its own cookies, connections and proxy. `lane`: the number of its proxy. */
export type Site = { lane: number; key: string; places: Set<string>; context: BrowserContext; usedAt: number }

/** The most sites whose cookies one browser keeps at once. */
export const mostSites = 6

export type SiteRules = {
  /** Decides if pages may reach a place for which no page was opened. */
  listed: Allows
  /** Returns true if a place may be in the home network. */
  isPrivate(place: string): boolean
}

/**
 * The places that the pages of a site may reach: the site itself, and the places that policy.yaml lists for pages. A listed place of the home
 * network is open only to sites that are in the home network too, so a page of the internet can send nothing there.
 * @param own the places of the site
 */
export function reachOf(own: ReadonlySet<string>, { listed, isPrivate }: SiteRules): Allows {
  return (place) => {
    if (own.has(place)) return isPrivate(place) ? 'private' : 'public'
    const allowed = listed(place)
    return allowed === 'private' && ![...own].some(isPrivate) ? undefined : allowed
  }
}

/** The key of a site, equal for its URLs with `http` and `https`, and with and without `www`. */
const keyOf = (address: Pick<PageAddress, 'host' | 'place'>) => placesFor(address).sort().join(' ')

/** The sites that a browser has open. */
export class Sites {
  readonly #rules: SiteRules
  readonly #sites = new Map<number, Site>()
  #uses = 0

  constructor(rules: SiteRules) {
    this.#rules = rules
  }

  /** The places that may be reached over one of the browser's proxies. */
  allows(lane: number): Allows {
    return (place) => {
      const site = this.#sites.get(lane)
      return site && reachOf(site.places, this.#rules)(place)
    }
  }

  /** The number of pages that Playwright has reported. */
  pages = (): number => this.all().reduce((sum, { context }) => sum + context.pages().length, 0)

  all = (): Site[] => [...this.#sites.values()]

  of = (address: Pick<PageAddress, 'host' | 'place'>): Site | undefined =>
    this.all().find(({ key }) => key === keyOf(address))

  /**
   * Returns the site of a URL, and opens it if needed. If too many sites are open, closes the least recently used site that shows no page.
   * @returns undefined if every open site shows a page
   */
  async open(
    browser: Browser,
    address: Pick<PageAddress, 'host' | 'place'>,
    begin: (context: BrowserContext, lane: number) => void,
  ): Promise<Site | undefined> {
    const usedAt = ++this.#uses
    const known = this.of(address)
    if (known !== undefined) return Object.assign(known, { usedAt })
    const lane = await this.#freeLane()
    if (lane === undefined) return undefined
    const context = await browser.newContext({
      viewport: { width: 1280, height: 720 },
      acceptDownloads: true,
      serviceWorkers: 'block',
      permissions: [],
      proxy: { server: relayAt(lane), bypass: '<-loopback>' },
    })
    const site = { lane, key: keyOf(address), places: new Set(placesFor(address)), context, usedAt }
    this.#sites.set(lane, site)
    begin(context, lane)
    return site
  }

  async #freeLane(): Promise<number | undefined> {
    const lanes = Array.from({ length: mostSites }, (_, lane) => lane)
    const free = lanes.find((lane) => !this.#sites.has(lane))
    if (free !== undefined) return free
    const idle = this.all().filter(({ context }) => context.pages().length === 0)
    const [oldest] = idle.sort((one, other) => one.usedAt - other.usedAt)
    if (oldest === undefined) return undefined
    this.#sites.delete(oldest.lane)
    await oldest.context.close()
    return oldest.lane
  }
}

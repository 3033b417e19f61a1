import type { Browser, BrowserContext } from 'playwright-core'
import type { Allows } from '../egress/proxy.ts'
import { relayAt } from '../egress/relay.ts'
import { type PageAddress, placesFor } from './site.ts'

/** A site in a browser, with cookies, connections and a way out of its own. `lane`: which of the browser's ways. */
export type Site = { lane: number; key: string; places: Set<string>; context: BrowserContext; usedAt: number }

/** Sites whose cookies one browser keeps at once. */
export const mostSites = 6

export type SiteRules = {
  /** Tells if a place may be reached at which no page was opened. */
  listed: Allows
  /** Tells if a place may be in this network. */
  isPrivate(place: string): boolean
}

/**
 * What a site's pages may reach: the site, and what policy.yaml lists for pages. A place of this network is open to the pages of its own site, and
 * of other sites only to those of this network too: a page of the internet sends nothing there.
 * @param own the places of the site
 */
export function reachOf(own: ReadonlySet<string>, { listed, isPrivate }: SiteRules): Allows {
  return (place) => {
    if (own.has(place)) return isPrivate(place) ? 'private' : 'public'
    const allowed = listed(place)
    return allowed === 'private' && ![...own].some(isPrivate) ? undefined : allowed
  }
}

/** The same for the addresses of one site: `http` and `https`, with and without `www`. */
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

  /** How many pages Playwright shows. */
  pages = (): number => this.all().reduce((sum, { context }) => sum + context.pages().length, 0)

  all = (): Site[] => [...this.#sites.values()]

  of = (address: Pick<PageAddress, 'host' | 'place'>): Site | undefined =>
    this.all().find(({ key }) => key === keyOf(address))

  /**
   * The site of an address, which is opened if it is not open. The site that was used longest ago and shows no page is closed if there are too many.
   * @returns undefined if all show pages
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

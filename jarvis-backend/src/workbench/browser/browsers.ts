import { Mistake } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Asked, type Browsing, type BrowsingParts, startBrowsing } from './browsing.ts'
import type { Seen } from './tab.ts'

/** Time after which an unused browser ends, together with its profile, ms. */
export const idleMs = 10 * 60_000
const mostBrowsers = 3

/** `turn`: resolves when the earlier work has ended. `disarm`: stops the timer that ends an unused browser. */
type Open = { starting: Promise<Browsing>; browsing: Browsing | undefined; turn: Promise<unknown>; disarm(): void }

export type BrowsersParts = {
  clock: Clock
  /** The dependencies of a session's browser. @throws Error if no browser can be started here */
  partsOf(sessionId: string): Omit<BrowsingParts, 'clock' | 'nextTab'>
  report(error: unknown, message: string): void
  start?: (parts: BrowsingParts) => Promise<Browsing>
}

/** The browsers of all sessions. */
export class Browsers {
  readonly #parts: BrowsersParts
  readonly #open = new Map<string, Open>()
  #tabs = 0

  constructor(parts: BrowsersParts) {
    this.#parts = parts
  }

  /** Runs work on the session's browser, one piece at a time. Starts a browser if there is none. @throws Error, Mistake */
  async on<T>(sessionId: string, work: (browsing: Browsing) => Promise<T>): Promise<T> {
    return this.#run(sessionId, this.#open.get(sessionId) ?? this.#begin(sessionId), work)
  }

  /** The same as `on`, but only if the session has a browser already. @throws Mistake if it has none */
  async onOpen<T>(sessionId: string, work: (browsing: Browsing) => Promise<T>): Promise<T> {
    const known = this.#open.get(sessionId)
    if (known === undefined)
      throw new Mistake(
        'No page is open in this conversation. Open one with open_page. A browser ends after ten minutes without use.',
      )
    return this.#run(sessionId, known, work)
  }

  /** The element with this reference, as the page was last read. @param sessionId absent: the element of any session */
  seen(ref: string, sessionId?: string): Seen | undefined {
    const [id, number] = ref.split('.').map(Number)
    for (const browsing of this.#ofSession(sessionId)) {
      const tab = browsing.tabs().find((one) => one.id === id)
      if (tab !== undefined && number !== undefined) return tab.seen(number)
    }
    return undefined
  }

  /** A tab's URL, and the last dialog that a page opened. @param sessionId absent: a tab of any session */
  tab(id: number, sessionId?: string): { pageUrl: string; asked?: Asked } | undefined {
    for (const browsing of this.#ofSession(sessionId)) {
      const found = browsing.tabs().find((tab) => tab.id === id)
      const asked = browsing.asked()
      if (found !== undefined) return { pageUrl: found.page.url(), asked }
    }
    return undefined
  }

  running(): number {
    return this.#open.size
  }

  async end(sessionId: string): Promise<void> {
    const found = this.#open.get(sessionId)
    if (found === undefined) return
    this.#open.delete(sessionId)
    found.disarm()
    await found.starting.then(
      (browsing) => browsing.end(),
      () => undefined,
    )
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((sessionId) => this.end(sessionId)))
  }

  #begin(sessionId: string): Open {
    const { clock, partsOf, start = startBrowsing } = this.#parts
    if (this.#open.size >= mostBrowsers)
      throw new Mistake(
        `${mostBrowsers} browsers are open in other conversations. One ends after ten minutes without use.`,
      )
    const nextTab = () => {
      this.#tabs += 1
      return this.#tabs
    }
    const made: Open = {
      starting: start({ ...partsOf(sessionId), clock, nextTab }),
      browsing: undefined,
      turn: Promise.resolve(),
      disarm: () => undefined,
    }
    this.#open.set(sessionId, made)
    made.starting.then(
      (browsing) => {
        made.browsing = browsing
      },
      () => this.#open.delete(sessionId),
    )
    return made
  }

  async #run<T>(sessionId: string, one: Open, work: (browsing: Browsing) => Promise<T>): Promise<T> {
    const { clock, report } = this.#parts
    one.disarm()
    const before = one.turn
    const turn = before.then(async () => work(await one.starting))
    one.turn = turn.catch(() => undefined)
    try {
      return await turn
    } finally {
      one.disarm()
      one.disarm = clock.after(idleMs, () => {
        if (this.#open.get(sessionId) !== one) return
        this.end(sessionId).catch((error: unknown) => report(error, 'a browser could not be ended'))
      })
    }
  }

  #ofSession(sessionId: string | undefined): Browsing[] {
    return [...this.#open].flatMap(([id, { browsing }]) =>
      browsing !== undefined && (sessionId === undefined || sessionId === id) ? [browsing] : [],
    )
  }
}

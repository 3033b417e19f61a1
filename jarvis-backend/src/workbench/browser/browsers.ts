import { Mistake } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Asked, type Browsing, type BrowsingParts, startBrowsing } from './browsing.ts'
import type { Seen } from './tab.ts'

/** The browsers of all sessions. */
export type Browsers = {
  /** Runs one piece of work at a time on the session's browser, which is started if there is none. @throws Error, Mistake */
  on<T>(sessionId: string, work: (browsing: Browsing) => Promise<T>): Promise<T>
  /** The same for work on a page that is open. @throws Mistake if the session has no browser */
  onOpen<T>(sessionId: string, work: (browsing: Browsing) => Promise<T>): Promise<T>
  /** The element of that reference as it was read last. @param sessionId absent: in whichever session */
  seen(ref: string, sessionId?: string): Seen | undefined
  /** A tab's address, and the dialog that was open last. @param sessionId absent: a tab of any session */
  tab(id: number, sessionId?: string): { pageUrl: string; asked?: Asked } | undefined
  running(): number
  end(sessionId: string): Promise<void>
  stop(): Promise<void>
}

/** A browser that nobody used for so long ends, with its profile. */
export const idleMs = 10 * 60_000
const mostBrowsers = 3

type Open = { starting: Promise<Browsing>; browsing: Browsing | undefined; turn: Promise<unknown>; disarm(): void }

export function createBrowsers(parts: {
  clock: Clock
  /** @throws Error if no browser can be started here */
  partsOf(sessionId: string): Omit<BrowsingParts, 'clock' | 'nextTab'>
  report(error: unknown, message: string): void
  start?: (parts: BrowsingParts) => Promise<Browsing>
}): Browsers {
  const { clock, start = startBrowsing } = parts
  const open = new Map<string, Open>()
  let tabs = 0

  function begin(sessionId: string): Open {
    if (open.size >= mostBrowsers)
      throw new Mistake(
        `${mostBrowsers} browsers are open in other conversations. One ends after ten minutes without use.`,
      )
    const nextTab = () => {
      tabs += 1
      return tabs
    }
    const made: Open = {
      starting: start({ ...parts.partsOf(sessionId), clock, nextTab }),
      browsing: undefined,
      turn: Promise.resolve(),
      disarm: () => undefined,
    }
    open.set(sessionId, made)
    made.starting.then(
      (browsing) => {
        made.browsing = browsing
      },
      () => open.delete(sessionId),
    )
    return made
  }

  async function end(sessionId: string): Promise<void> {
    const found = open.get(sessionId)
    if (found === undefined) return
    open.delete(sessionId)
    found.disarm()
    await found.starting.then(
      (browsing) => browsing.end(),
      () => undefined,
    )
  }

  async function run<T>(sessionId: string, one: Open, work: (browsing: Browsing) => Promise<T>): Promise<T> {
    one.disarm()
    const before = one.turn
    const turn = before.then(async () => work(await one.starting))
    one.turn = turn.catch(() => undefined)
    try {
      return await turn
    } finally {
      one.disarm()
      one.disarm = clock.after(idleMs, () => {
        if (open.get(sessionId) !== one) return
        end(sessionId).catch((error: unknown) => parts.report(error, 'a browser could not be ended'))
      })
    }
  }

  const tabOf = (browsing: Browsing, ref: string) => {
    const [tab, number] = ref.split('.').map(Number)
    const found = browsing.tabs().find(({ id }) => id === tab)
    return found === undefined || number === undefined ? undefined : { tab: found, number }
  }

  const ofSession = (sessionId: string | undefined) =>
    [...open].flatMap(([id, { browsing }]) =>
      browsing !== undefined && (sessionId === undefined || sessionId === id) ? [browsing] : [],
    )

  return {
    async on(sessionId, work) {
      const known = open.get(sessionId)
      return run(sessionId, known ?? begin(sessionId), work)
    },
    async onOpen(sessionId, work) {
      const known = open.get(sessionId)
      if (known === undefined)
        throw new Mistake(
          'No page is open in this conversation. Open one with open_page. A browser ends after ten minutes without use.',
        )
      return run(sessionId, known, work)
    },
    seen(ref, sessionId) {
      for (const browsing of ofSession(sessionId)) {
        const found = tabOf(browsing, ref)
        if (found !== undefined) return found.tab.seen(found.number)
      }
      return undefined
    },
    tab(id, sessionId) {
      for (const browsing of ofSession(sessionId)) {
        const found = browsing.tabs().find((tab) => tab.id === id)
        const asked = browsing.asked()
        if (found !== undefined) return { pageUrl: found.page.url(), ...(asked !== undefined && { asked }) }
      }
      return undefined
    },
    running: () => open.size,
    end,
    async stop() {
      await Promise.all([...open.keys()].map(end))
    },
  }
}

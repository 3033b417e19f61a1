import { Component, type ComponentType, lazy } from 'react'
import { early } from '../features/chat/optional.ts'
import { whenIdle } from '../lib/idle.ts'
import { live } from './live.ts'

const againAfterMs = 2_000
const triesWhileLive = 3
const reloadsAtMostEachMs = 60_000
const reloadedAtKey = 'jarvis.reloadedAt'

/** A part that cannot be fetched before the page is loaded anew: Chromium does not ask again for a script that failed once. */
class NotFetched extends Error {
  constructor(cause: unknown) {
    super('A part of the page could not be fetched.', { cause })
  }
}

/** Loads the page anew, unless that was tried a moment ago or somebody types. */
function reloadOnce(): void {
  const before = Number(sessionStorage.getItem(reloadedAtKey))
  const typed = document.querySelector<HTMLInputElement>('input:focus, textarea:focus')?.value ?? ''
  if (typed !== '' || Date.now() - before < reloadsAtMostEachMs) return
  sessionStorage.setItem(reloadedAtKey, `${Date.now()}`)
  location.reload()
}

const loads: (() => Promise<unknown>)[] = []

/** True if the page opened at a session: parts that every session needs are then fetched at once. */
export const opensSession = location.pathname.startsWith('/chat/')

/** A part that is fetched on first use, at once, or while the page is idle. Without a connection it waits for one. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>, isAtOnce = false) {
  let loaded: { default: ComponentType<P> } | undefined
  const fetch = async () => {
    loaded = { default: await load() }
    return loaded
  }
  const fetchOrWait = async () => {
    for (let tries = 1; ; ) {
      try {
        return await fetch()
      } catch (error) {
        // A failure while connected lasts: the server was updated and the old file is gone, or the browser keeps the failure.
        if (live.link.value.get().status === 'live' && tries++ >= triesWhileLive) throw new NotFetched(error)
        await new Promise((resolve) => setTimeout(resolve, againAfterMs))
      }
    }
  }
  loads.push(fetch)
  if (isAtOnce) void fetch().catch(() => undefined)
  return lazy(() => (loaded === undefined ? fetchOrWait() : atHand(loaded)))
}

/** A promise that React reads as settled, so that a loaded part is drawn without its fallback first. */
const atHand = <T,>(value: T) => ({ then: (tell: (value: T) => void) => tell(value) }) as Promise<T>

const { connection } = navigator as { connection?: { saveData?: boolean } }

/**
 * Fetches all parts after the first connection, one after the other, so that they work without a connection later.
 * A browser that is set to save data fetches each on first use.
 */
export function loadLater(): void {
  if (connection?.saveData === true) return
  const stop = live.link.value.subscribe(() => {
    if (live.link.value.get().status !== 'live') return
    stop()
    whenIdle(async () => {
      // A part may register parts of its own.
      for (const list of [loads, early]) for (const load of list) await load().catch(() => undefined)
    })
  })
}

/** Keeps an error in a part from removing the whole page. */
export class Part extends Component<{ children: React.ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override componentDidCatch(error: unknown) {
    if (error instanceof NotFetched) reloadOnce()
  }

  override render() {
    if (!this.state.isBroken) return this.props.children
    return (
      <section className="empty">
        <h2>This part could not be shown. What you typed is kept.</h2>
        <button type="button" className="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </section>
    )
  }
}

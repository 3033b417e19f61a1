import { Component, type ComponentType, lazy } from 'react'
import { early } from '../features/chat/optional.ts'
import { sessionPath } from '../features/chat/session-path.ts'
import { whenIdle } from '../lib/idle.ts'
import { matchPath } from '../lib/match-path.ts'
import { Empty } from '../ui/empty.tsx'
import { live } from './live.ts'

const againAfterMs = 2_000
const triesWhileLive = 3
const reloadsAtMostEachMs = 60_000
const reloadedAtKey = 'jarvis.reloadedAt'

/** Thrown for a part that cannot be loaded until the page is reloaded: Chromium does not fetch a script again after a failure. */
class NotFetched extends Error {
  constructor(cause: unknown) {
    super('A part of the page could not be fetched.', { cause })
  }
}

/** Reloads the page, unless it was reloaded a moment ago or a field with the focus has text. */
function reloadOnce(): void {
  const before = Number(sessionStorage.getItem(reloadedAtKey))
  const typed = document.querySelector<HTMLInputElement>('input:focus, textarea:focus')?.value ?? ''
  if (typed !== '' || Date.now() - before < reloadsAtMostEachMs) return
  sessionStorage.setItem(reloadedAtKey, `${Date.now()}`)
  location.reload()
}

const loads: (() => Promise<unknown>)[] = []

/** True if the page was opened at a session's path. The parts that every session needs are then loaded at once. */
export const opensSession = matchPath(sessionPath, location.pathname) !== undefined

/** Makes a component whose code is loaded on first use, at once, or while the page is idle. Without a connection, loading waits for one. */
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
        // A failure while connected is permanent: either an update of the server removed the old file, or the browser caches the failure.
        if (live.link.value.get().status === 'live' && tries++ >= triesWhileLive) throw new NotFetched(error)
        await new Promise((resolve) => setTimeout(resolve, againAfterMs))
      }
    }
  }
  loads.push(fetch)
  if (isAtOnce) void fetch().catch(() => undefined)
  return lazy(() => (loaded === undefined ? fetchOrWait() : atHand(loaded)))
}

/** A thenable that React reads as settled, so that a loaded part is drawn without showing its fallback first. */
const atHand = <T,>(value: T) => ({ then: (tell: (value: T) => void) => tell(value) }) as Promise<T>

const { connection } = navigator as { connection?: { saveData?: boolean } }

/**
 * Loads all parts after the first connection, one after the other, so that they work without a connection later. If the browser is set to save data,
 * each part is loaded on first use instead.
 */
export function loadLater(): void {
  if (connection?.saveData === true) return
  const stop = live.link.value.subscribe(() => {
    if (live.link.value.get().status !== 'live') return
    stop()
    whenIdle(async () => {
      // Loading a part may register further parts.
      for (const list of [loads, early]) for (const load of list) await load().catch(() => undefined)
    })
  })
}

/** An error boundary: an error in a part does not remove the whole page. */
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
      <Empty title="This part could not be shown. What you typed is kept.">
        <button type="button" className="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </Empty>
    )
  }
}

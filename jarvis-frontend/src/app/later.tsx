import { Component, type ComponentType, lazy } from 'react'
import { early } from '../features/chat/optional.ts'
import { whenIdle } from '../lib/idle.ts'
import { live } from './live.ts'

const againAfterMs = 2_000
const triesWhileLive = 3
const loads: (() => Promise<unknown>)[] = []

/** What every session needs comes while the session is asked for. */
export const opensSession = location.pathname.startsWith('/chat/')

/** A part that is fetched on first use, at once, or once all is quiet. Without a link it waits for one. */
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
        // With a link it is gone for good: the server was updated under this page.
        if (live.link.value.get().status === 'live' && tries++ >= triesWhileLive) throw error
        await new Promise((resolve) => setTimeout(resolve, againAfterMs))
      }
    }
  }
  loads.push(fetch)
  if (isAtOnce) void fetch().catch(() => undefined)
  return lazy(() => (loaded === undefined ? fetchOrWait() : atHand(loaded)))
}

/** A promise that tells at once, so that what is there is drawn without anything in its place first. */
const atHand = <T,>(value: T) => ({ then: (tell: (value: T) => void) => tell(value) }) as Promise<T>

/** Fetches all parts after the first connection, one after the other: so that they are there when the link is not. */
export function loadLater(): void {
  const stop = live.link.value.subscribe(() => {
    if (live.link.value.get().status !== 'live') return
    stop()
    whenIdle(async () => {
      // Parts may bring parts of their own.
      for (const list of [loads, early]) for (const load of list) await load().catch(() => undefined)
    })
  })
}

/** Keeps what breaks in a part from taking the whole page along. */
export class Part extends Component<{ children: React.ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
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

import type { CDPSession } from 'playwright-core'

/** Tabs that exist but that Playwright does not report yet. Playwright reports a tab when its URL has answered. */
export type Arriving = {
  /** Resolves when Playwright has reported all tabs, except the ones that were given up. */
  shown(): Promise<void>
  /** Called when Playwright reports a page. */
  look(): void
  /** Stops waiting for the tabs that were not reported yet. @returns their number */
  giveUp(): number
}

/**
 * Watches for tabs that open. Chromium reports a tab before it answers the click that opened it, but Playwright reports the tab later, so the result
 * of a call might omit it. @param session a session of the browser, not of a page @param pages returns the number of pages that Playwright has
 * reported
 * @throws Error if the browser has ended
 */
export async function watchArrivals(session: CDPSession, pages: () => number): Promise<Arriving> {
  const targets = new Set<string>()
  const waiting = new Set<() => void>()
  let givenUp = 0
  const hidden = () => Math.max(0, targets.size - pages())
  const look = () => {
    givenUp = Math.min(givenUp, hidden())
    if (hidden() > givenUp) return
    for (const done of waiting) done()
    waiting.clear()
  }
  session.on('Target.targetCreated', ({ targetInfo: { type, targetId } }) => {
    if (type === 'page') targets.add(targetId)
  })
  session.on('Target.targetDestroyed', ({ targetId }) => {
    targets.delete(targetId)
    look()
  })
  await session.send('Target.setDiscoverTargets', { discover: true })
  return {
    look,
    shown: () =>
      new Promise((resolve) => {
        waiting.add(resolve)
        look()
      }),
    giveUp() {
      const fresh = hidden() - givenUp
      givenUp = hidden()
      return fresh
    },
  }
}

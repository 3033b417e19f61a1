import type { CDPSession } from 'playwright-core'

/** Tabs that exist and that Playwright does not show yet: it shows one when its address has answered. */
export type Arriving = {
  /** Until all are shown that were not given up. */
  shown(): Promise<void>
  /** A page is shown now. */
  look(): void
  /** Stops waiting for the pages that are not shown yet. @returns their number */
  giveUp(): number
}

/**
 * Watches for tabs that open. Chromium tells of a tab before it answers the click that opened it, and Playwright tells of it
 * later, so what a call reports may lack it. @param session one of the browser, not of a page @param pages how many Playwright shows
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

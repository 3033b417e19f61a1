import { type RefObject, useLayoutEffect } from 'react'
import { useLocation } from '../lib/location.tsx'

/** How long a page may take to be as high as it was, ms. */
const patienceMs = 3_000
/** How many visits are remembered. */
const mostVisits = 100
/** Scroll positions of the newest visits, px, by the key of the visit. */
const positions = new Map<string, number>()
/** The first part of the page that scrolls: of a list beside its detail, the list. */
const pageIn = (main: HTMLElement | null) => main?.querySelector('.scroll:not(.stream)') ?? undefined

/** Scrolls a page to where it was, when the browser comes back to it. The conversation keeps its own place. */
export function useKeptScroll(main: RefObject<HTMLElement | null>): void {
  const { key } = useLocation()
  useLayoutEffect(() => {
    const element = main.current
    const gone = new AbortController()
    const { signal } = gone
    const kept = positions.get(key) ?? 0
    let isBack = kept > 0
    // A filter that is typed replaces the visit, and the page stays where it is.
    if (!isBack) positions.set(key, pageIn(element)?.scrollTop ?? 0)
    for (const oldest of positions.keys()) {
      if (positions.size <= mostVisits) break
      positions.delete(oldest)
    }
    const stop = () => {
      isBack = false
    }
    // The reader's own scrolling ends the way back.
    for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
      addEventListener(event, stop, { signal, passive: true, capture: true })
    const keep = ({ target }: Event) => {
      if (!isBack && target === pageIn(element)) positions.set(key, (target as Element).scrollTop)
    }
    element?.addEventListener('scroll', keep, { signal, capture: true, passive: true })
    const until = performance.now() + patienceMs
    const goBack = () => {
      if (!isBack || signal.aborted) return
      const page = pageIn(element)
      if (page !== undefined && page.scrollHeight - page.clientHeight >= kept) {
        page.scrollTop = kept
        isBack = false
      } else if (performance.now() < until) requestAnimationFrame(goBack)
      else isBack = false
    }
    goBack()
    return () => gone.abort()
  }, [main, key])
}

import { useEffect, useRef } from 'react'
import { goToCard } from '../../app/use-keys.ts'
import type { SessionView } from '../../features/chat/state.ts'
import { useLocation } from '../../lib/location.tsx'

/** Scrolls to the card or question that the URL names, as soon as it is drawn. */
export function useCardInAddress(view: SessionView | undefined): void {
  const { hash, key } = useLocation()
  const done = useRef<string>(undefined)
  useEffect(() => {
    if (!/^#(card|question)-/.test(hash) || done.current === key || view === undefined) return
    const look = () => {
      const card = document.getElementById(hash.slice(1))
      if (card === null) return
      watch.disconnect()
      done.current = key
      requestAnimationFrame(() => goToCard(card))
    }
    // The part that draws cards may still be loading.
    const watch = new MutationObserver(look)
    watch.observe(document.body, { childList: true, subtree: true })
    look()
    return () => watch.disconnect()
  }, [hash, key, view])
}

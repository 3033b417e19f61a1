import { type RefObject, useEffect, useState } from 'react'

const stillForMs = 600
const lookEveryMs = 100
/** Less than that puts no other button under a pointer, and a line or a scroll may be rounded to another pixel. */
const slackPx = 2

/**
 * Whether Approve may wake: the card has not moved for 600 ms, and all of it has been on screen. It sleeps again
 * whenever the card moves, so a click meant for something else never decides.
 */
export function useEarned(card: RefObject<HTMLElement | null>, isWanted: boolean): boolean {
  const [isAwake, setAwake] = useState(false)
  useEffect(() => {
    const element = card.current
    if (!isWanted || element === null) return
    let lay = { top: Number.NaN, height: Number.NaN }
    let stillSince = Date.now()
    const seen = { top: false, bottom: false }
    const look = () => {
      const box = element.getBoundingClientRect()
      const view = viewOf(element)
      if (!(Math.abs(box.top - lay.top) <= slackPx && Math.abs(box.height - lay.height) <= slackPx)) {
        lay = { top: box.top, height: box.height }
        stillSince = Date.now()
      }
      if (document.hidden) stillSince = Date.now()
      seen.top ||= box.top >= view.top - 1 && box.top < view.bottom
      seen.bottom ||= box.bottom <= view.bottom + 1 && box.bottom > view.top
      setAwake(seen.top && seen.bottom && Date.now() - stillSince >= stillForMs)
    }
    look()
    const timer = setInterval(look, lookEveryMs)
    return () => clearInterval(timer)
  }, [card, isWanted])
  return isAwake && isWanted
}

/** What of the window the card's scrolling ancestors leave visible. */
function viewOf(element: HTMLElement): { top: number; bottom: number } {
  const view = { top: 0, bottom: innerHeight }
  for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) {
    if (!/auto|scroll|hidden/.test(getComputedStyle(parent).overflowY)) continue
    const box = parent.getBoundingClientRect()
    view.top = Math.max(view.top, box.top)
    view.bottom = Math.min(view.bottom, box.bottom)
  }
  return view
}

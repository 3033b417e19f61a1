import { type RefObject, useEffect, useRef, useState } from 'react'

const stillForMs = 600
const lookEveryMs = 100
/** Layout shifts below this are ignored when arming Approve: rounding causes them. */
const slackPx = 2

/**
 * Returns if Approve is enabled: the card has not moved for 600 ms, and all of it was on screen. A move disables the button again, so that a click
 * meant for something else never decides. `isStill` checks again at the click.
 */
export function useEarned(card: RefObject<HTMLElement | null>, isWanted: boolean) {
  const [isAwake, setAwake] = useState(false)
  const look = useRef<() => boolean>(() => false)
  useEffect(() => {
    const element = card.current
    if (!isWanted || element === null) return
    let lay = { top: Number.NaN, height: Number.NaN }
    let stillSince = Date.now()
    const seen = { top: false, bottom: false }
    look.current = () => {
      const box = element.getBoundingClientRect()
      const view = viewOf(element)
      if (!(Math.abs(box.top - lay.top) <= slackPx && Math.abs(box.height - lay.height) <= slackPx)) {
        lay = { top: box.top, height: box.height }
        stillSince = Date.now()
      }
      if (document.hidden) stillSince = Date.now()
      seen.top ||= box.top >= view.top - 1 && box.top < view.bottom
      seen.bottom ||= box.bottom <= view.bottom + 1 && box.bottom > view.top
      const isEarned = seen.top && seen.bottom && Date.now() - stillSince >= stillForMs
      setAwake(isEarned)
      return isEarned
    }
    look.current()
    const timer = setInterval(() => look.current(), lookEveryMs)
    return () => clearInterval(timer)
  }, [card, isWanted])
  return { isSeen: isAwake && isWanted, isStill: () => look.current() }
}

/** Returns the part of the window in which the card can be visible inside its scrolling ancestors. */
export function viewOf(element: HTMLElement): { top: number; bottom: number } {
  const view = { top: 0, bottom: innerHeight }
  for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) {
    if (!/auto|scroll|hidden/.test(getComputedStyle(parent).overflowY)) continue
    const box = parent.getBoundingClientRect()
    view.top = Math.max(view.top, box.top)
    view.bottom = Math.min(view.bottom, box.bottom)
  }
  return view
}

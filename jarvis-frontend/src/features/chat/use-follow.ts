import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

const nearEndPx = 48

/** Keeps a scroller at its end while the reader is there, and what they read where it is while they are not. */
export function useFollow(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  key: string,
) {
  const [isAtEnd, setAtEnd] = useState(true)
  const follows = useRef(true)
  /** What the reader reads, and how far below the scroller's top it stands. */
  const anchor = useRef<{ element: Element; topPx: number }>(undefined)

  /** Where it stood when we last looked. */
  const lastTop = useRef(0)
  const settle = useRef<() => void>(() => undefined)
  const toEnd = useCallback(() => {
    const element = scroller.current
    if (element === null) return
    follows.current = true
    setAtEnd(true)
    element.scrollTop = element.scrollHeight
    lastTop.current = element.scrollTop
  }, [scroller])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another session starts at its end
  useLayoutEffect(toEnd, [key])

  useEffect(() => {
    const element = scroller.current
    const inner = content.current
    if (element === null || inner === null) return
    const gap = () => element.scrollHeight - element.scrollTop - element.clientHeight
    const topOf = (part: Element) => part.getBoundingClientRect().top - element.getBoundingClientRect().top
    const hold = (part: Element | undefined) => {
      anchor.current = part === undefined ? undefined : { element: part, topPx: topOf(part) }
    }
    const onScroll = () => {
      // Only the reader's own move upwards lets go; growth below does not.
      if (element.scrollTop < lastTop.current && gap() > nearEndPx) follows.current = false
      else if (gap() <= nearEndPx) follows.current = true
      lastTop.current = element.scrollTop
      setAtEnd(follows.current)
      if (!follows.current) hold(firstSeen(element, inner))
    }
    settle.current = () => {
      // A move that its event has not told of yet counts before what is to be put back. Where the content shrank below
      // where the reader was, the browser moved them.
      if (element.scrollTop !== lastTop.current && lastTop.current <= element.scrollHeight - element.clientHeight)
        onScroll()
      if (follows.current) element.scrollTop = element.scrollHeight
      else if (anchor.current?.element.isConnected === true) {
        const movedPx = topOf(anchor.current.element) - anchor.current.topPx
        if (Math.abs(movedPx) >= 1) element.scrollTop += movedPx
      }
      lastTop.current = element.scrollTop
    }
    /** What the reader opens stays where it is, at the end too. */
    const onClick = (event: MouseEvent) => {
      const opener = event.target instanceof Element ? event.target.closest('[aria-expanded], summary') : null
      if (opener === null) return
      follows.current = false
      hold(opener)
      requestAnimationFrame(() => {
        follows.current = gap() <= nearEndPx
        setAtEnd(follows.current)
      })
    }
    const grown = new ResizeObserver(() => settle.current())
    grown.observe(inner)
    grown.observe(element)
    // Before what draws other rows for it: the anchor is what was read before they came.
    element.addEventListener('scroll', onScroll, { passive: true, capture: true })
    element.addEventListener('click', onClick, true)
    return () => {
      grown.disconnect()
      element.removeEventListener('scroll', onScroll, true)
      element.removeEventListener('click', onClick, true)
    }
  }, [scroller, content])

  /** For what changes heights between two frames: a click must find what it was aimed at. */
  const onDrawn = useCallback(() => settle.current(), [])
  return { isAtEnd, toEnd, onDrawn }
}

/** The topmost entry that is on screen. */
function firstSeen(scroller: Element, content: Element): Element | undefined {
  const top = scroller.getBoundingClientRect().top
  const isSeen = (element: Element) => element.getBoundingClientRect().bottom > top
  const row = [...content.querySelectorAll('[data-row]')].find(isSeen)
  return row === undefined ? undefined : ([...row.querySelectorAll('article')].find(isSeen) ?? row)
}

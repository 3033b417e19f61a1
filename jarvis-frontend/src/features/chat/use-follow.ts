import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

const nearEndPx = 48

/** Keeps a scroller at its end while the reader is there, and where it is while they are not. */
export function useFollow(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  key: string,
) {
  const [isAtEnd, setAtEnd] = useState(true)
  const follows = useRef(true)

  const toEnd = useCallback(() => {
    const element = scroller.current
    if (element === null) return
    follows.current = true
    setAtEnd(true)
    element.scrollTop = element.scrollHeight
  }, [scroller])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another session starts at its end
  useLayoutEffect(toEnd, [key])

  useEffect(() => {
    const element = scroller.current
    const inner = content.current
    if (element === null || inner === null) return
    let lastTop = element.scrollTop
    const onScroll = () => {
      const gap = element.scrollHeight - element.scrollTop - element.clientHeight
      // Only the reader's own move upwards lets go; growth below does not.
      if (element.scrollTop < lastTop && gap > nearEndPx) follows.current = false
      else if (gap <= nearEndPx) follows.current = true
      lastTop = element.scrollTop
      setAtEnd(follows.current)
    }
    const grown = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight
      lastTop = element.scrollTop
    })
    grown.observe(inner)
    grown.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      grown.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [scroller, content])

  return { isAtEnd, toEnd }
}

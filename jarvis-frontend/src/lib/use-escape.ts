import { useLayoutEffect, useRef } from 'react'

type Closer = () => void

/** Functions that close a part on Escape, the topmost part last. */
const open: Closer[] = []

/** Closes only the part that was opened last. */
export function pressEscape(): void {
  open.at(-1)?.()
}

/**
 * Calls `act` when Escape is pressed, also inside a field, unless a part that was opened later handles the key.
 * @param act undefined: nothing can be closed
 * @param place `page`: below all other parts, including those already open
 */
export function useEscape(act: Closer | undefined, place: 'top' | 'page' = 'top'): void {
  const current = useRef(act)
  current.current = act
  const isOpen = act !== undefined
  useLayoutEffect(() => {
    if (!isOpen) return
    const closer = () => current.current?.()
    if (place === 'page') open.unshift(closer)
    else open.push(closer)
    return () => void open.splice(open.indexOf(closer), 1)
  }, [isOpen, place])
}

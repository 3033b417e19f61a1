import { useLayoutEffect, useRef } from 'react'

type Closer = () => void

/** Parts that Escape can close now, the topmost last. */
const open: Closer[] = []

/** Closes what was opened last, and nothing below it. */
export function pressEscape(): void {
  open.at(-1)?.()
}

/**
 * Calls `act` when Escape is pressed while nothing that was opened later takes it, also from within a field.
 * @param act undefined: there is nothing to close
 * @param place `page`: below all that opens on the page, even what is there already
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

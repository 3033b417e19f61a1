import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'
import { whenIdle } from '../../lib/idle.ts'
import { useValue } from '../../lib/use-value.ts'
import { drawnWhole, type Piece, piecesOf } from './rows.ts'
import { firstRows, type StreamScroll } from './stream-scroll.ts'

/**
 * Draws only the rows of a list that are near the reader, and starts at the end of the list. `scroll` chooses the rows. A short list is drawn
 * completely, one more row at a time while the page is idle. `pinned`: rows that are always drawn, at any position.
 */
export function useRows(
  scroll: StreamScroll,
  list: RefObject<HTMLElement | null>,
  { keys, pinned }: { keys: readonly string[]; pinned: readonly string[] },
): readonly Piece[] {
  const touched = useTouched(list)
  const span = useValue(scroll.span)
  const first = span === undefined ? -1 : keys.indexOf(span.first)
  const last = span?.last === undefined ? keys.length - 1 : keys.indexOf(span.last)
  const from = first < 0 ? Math.max(0, keys.length - firstRows) : first
  const to = last < from ? keys.length : last + 1
  const pieces = piecesOf(keys, { from, to }, new Set([...touched, ...pinned]))
  useLayoutEffect(() => {
    if (list.current !== null) scroll.drawn(list.current, { keys, pieces, from, to })
  })
  const isShort = keys.length <= drawnWhole
  const above = isShort ? keys[from - 1] : undefined
  useEffect(() => (above === undefined ? undefined : whenIdle(() => scroll.addAbove())), [above, scroll])
  return pieces
}

/** Returns the rows that the reader has touched. They stay drawn, so that they keep their state and focus. */
function useTouched(list: RefObject<HTMLElement | null>): ReadonlySet<string> {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const element = list.current
    const touch = ({ target }: Event) => {
      const key = target instanceof Element ? target.closest<HTMLElement>('[data-row]')?.dataset.row : undefined
      if (key !== undefined) setTouched((before) => (before.has(key) ? before : new Set(before).add(key)))
    }
    element?.addEventListener('focusin', touch)
    element?.addEventListener('pointerdown', touch)
    return () => {
      element?.removeEventListener('focusin', touch)
      element?.removeEventListener('pointerdown', touch)
    }
  }, [list])
  return touched
}

import { type RefObject, useCallback, useEffect, useLayoutEffect, useReducer, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { whenIdle } from '../../lib/idle.ts'
import { drawnWhole, type Piece, piecesOf, rowsBetween } from './rows.ts'

const guessPx = 400

/**
 * Draws only what is near the reader of a list of any length, from its end on; a short one is drawn whole row by row
 * once nothing else is to be done. Heights are measured as rows are drawn; what is to stay
 * where it is while gaps become rows is up to the scroller (`useFollow`).
 */
export function useRows(
  keys: readonly string[],
  scroller: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
  pinned: readonly string[],
) {
  const heights = useRef(new Map<string, number>())
  /** Rows the reader has touched keep their state and their focus. */
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  /** By key, for earlier rows may come in before them. Undefined: the newest. */
  const [span, setSpan] = useState<{ first: string; last: string }>()
  const [, redraw] = useReducer((count: number) => count + 1, 0)

  /** What a row is taken for that was never drawn. Renewed only where rows change: a gap does not move by itself. */
  const average = useRef(guessPx)
  const heightOf = (key: string) => heights.current.get(key) ?? average.current
  const renewAverage = () => {
    let sum = 0
    for (const px of heights.current.values()) sum += px
    average.current = Math.round(sum / Math.max(1, heights.current.size))
  }

  const total = () => keys.reduce((px, key) => px + heightOf(key), 0)
  const isShort = keys.length <= drawnWhole
  const at = (): { from: number; to: number } => {
    const from = span === undefined ? -1 : keys.indexOf(span.first)
    const to = isShort ? keys.length - 1 : span === undefined ? -1 : keys.indexOf(span.last)
    if (from >= 0 && to >= 0) return { from, to: to + 1 }
    // Before there is a screen, little: what is missing is added before anything is painted.
    const viewPx = scroller.current?.clientHeight ?? 500
    const endPx = total()
    return { from: rowsBetween(keys, endPx - 2 * viewPx, endPx, heightOf).from, to: keys.length }
  }
  const drawn = at()
  const pieces: Piece[] = piecesOf(keys, drawn, new Set([...touched, ...pinned]), heightOf)

  const look = useRef<() => void>(() => undefined)
  look.current = () => {
    const element = scroller.current
    const inner = list.current
    if (element === null || inner === null || drawn.to - drawn.from === keys.length) return
    const top = element.getBoundingClientRect().top - inner.getBoundingClientRect().top
    const height = element.clientHeight
    const near = rowsBetween(keys, top - height / 2, top + height * 1.5, heightOf)
    const isAtEnd = near.to === keys.length
    if (near.from >= drawn.from && near.to <= drawn.to && (isShort || isAtEnd === (span === undefined))) return
    const { from, to } = rowsBetween(keys, top - height * 1.5, top + height * 2.5, heightOf)
    const [first, last] = [keys[from], keys[to - 1]]
    renewAverage()
    // Before this frame is painted: a gap that is scrolled into is not seen.
    flushSync(() =>
      setSpan((isAtEnd && !isShort) || first === undefined || last === undefined ? undefined : { first, last }),
    )
  }
  useLayoutEffect(() => {
    if (span !== undefined || drawn.from === 0) return
    if (at().from < drawn.from) {
      renewAverage()
      redraw()
    }
  })
  const above = isShort ? keys[drawn.from - 1] : undefined
  useEffect(() => (above === undefined ? undefined : whenIdle(() => setSpan({ first: above, last: above }))), [above])
  useEffect(() => {
    const element = scroller.current
    const onScroll = () => look.current()
    element?.addEventListener('scroll', onScroll, { passive: true })
    return () => element?.removeEventListener('scroll', onScroll)
  }, [scroller])

  const sizes = useRef<ResizeObserver>(undefined)
  const measure = useCallback((element: HTMLElement | null) => {
    if (element === null) return
    sizes.current ??= new ResizeObserver((entries) => {
      for (const { target, borderBoxSize } of entries) {
        const key = (target as HTMLElement).dataset.row
        const height = borderBoxSize[0]?.blockSize ?? 0
        if (key !== undefined && target.isConnected) heights.current.set(key, height)
      }
    })
    sizes.current.observe(element)
    if (element.dataset.row !== undefined) heights.current.set(element.dataset.row, element.offsetHeight)
    return () => sizes.current?.unobserve(element)
  }, [])
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
  /** Brings a row on screen, wherever it is. @returns its element */
  const show = (key: string): HTMLElement | null => {
    const place = keys.indexOf(key)
    const [first, last] = [keys[Math.max(0, place - 4)], keys[Math.min(keys.length - 1, place + 4)]]
    if (place >= 0 && first !== undefined && last !== undefined) flushSync(() => setSpan({ first, last }))
    return list.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`) ?? null
  }
  return { pieces, measure, show }
}

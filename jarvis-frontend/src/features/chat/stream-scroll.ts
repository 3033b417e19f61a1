import { flushSync } from 'react-dom'
import { Value } from '../../lib/value.ts'
import { type Anchor, anchorAt, isBelowTop, movedPx, rowIn, topIn } from './anchor.ts'
import { drawnWhole, type Piece, Rows } from './rows.ts'

/**
 * The range of drawn rows, `first` and `last` included. Keys instead of indexes, because earlier rows may be added. `last` undefined: up to the
 * newest row.
 */
export type Span = { first: string; last: string | undefined }

/** The drawn part of a list: its pieces, and the range of its rows from `from` (included) to `to` (excluded). */
type Drawn = { keys: readonly string[]; pieces: readonly Piece[]; from: number; to: number }

const nearEndPx = 48
const guessPx = 400
/**
 * The height drawn above and below the screen, in screens: the minimum, the height that is drawn when less than the minimum is left, and the
 * maximum.
 */
const [leastScreens, newScreens, mostScreens] = [0.75, 1.75, 9]
/** Number of rows that are drawn before any height is known. */
export const firstRows = 4

/**
 * Owns the scroll position of the conversation, and decides which rows are drawn. A reader at the end stays at the end. Otherwise the first row on
 * screen (the anchor) keeps its place when content above is added, removed or resized. After every change the drawn rows are computed from the
 * anchor, so the screen never shows a gap. The gap above the drawn rows absorbs wrong estimates of heights: setting the scroll position instead
 * would interrupt the movement of a finger or wheel.
 */
export class StreamScroll {
  readonly isAtEnd = new Value(true)
  /** The drawn rows; undefined: nothing was drawn yet. */
  readonly span = new Value<Span | undefined>(undefined)
  #scroller: HTMLElement | undefined
  #list: HTMLElement | undefined
  #pieces: readonly Piece[] = []
  #drawn = { from: 0, to: 0 }
  #follows = true
  #isWhole = false
  #anchor: Anchor | undefined
  /** The scroll position that this class set last. If the element has another position, the reader has scrolled. */
  #lastTop = 0
  readonly #heights = new Map<string, number>()
  /** Heights of gaps, px, by the rows that each gap replaces. */
  #gaps = new Map<string, number>()
  /** The assumed height of a row that was never drawn, px. */
  #averagePx = guessPx
  readonly #heightOf = (key: string): number => this.#heights.get(key) ?? this.#averagePx
  #rows = new Rows([], this.#heightOf)
  readonly #sizes = typeof ResizeObserver === 'undefined' ? undefined : new ResizeObserver(this.#onSizes.bind(this))

  /** @returns removes the listeners */
  attach(scroller: HTMLElement, content: HTMLElement): () => void {
    this.#scroller = scroller
    const onScroll = () => {
      if (!this.#moved()) return
      this.#cover()
    }
    const onClick = (event: MouseEvent) => this.#onClick(event)
    scroller.addEventListener('scroll', onScroll, { passive: true })
    scroller.addEventListener('click', onClick, true)
    this.#sizes?.observe(content)
    this.#sizes?.observe(scroller)
    return () => {
      scroller.removeEventListener('scroll', onScroll)
      scroller.removeEventListener('click', onClick, true)
      this.#sizes?.disconnect()
    }
  }

  /** Observes the height of a mounted row. @returns stops observing */
  readonly measure = (row: HTMLElement | null) => {
    if (row === null) return
    this.#sizes?.observe(row)
    return () => this.#sizes?.unobserve(row)
  }

  /** Restores the position. Call it after rows were drawn and before they are painted. */
  drawn(list: HTMLElement, { keys, pieces, from, to }: Drawn): void {
    this.#list = list
    this.#rows = new Rows(keys, this.#heightOf)
    this.#pieces = pieces
    this.#drawn = { from, to }
    this.#gaps = new Map(
      pieces.flatMap((piece) =>
        piece.kind === 'gap' ? [[rangeKey(keys, piece), this.gapPx(keys, piece)] as const] : [],
      ),
    )
    for (const row of list.children) {
      if (row instanceof HTMLElement && row.dataset.row !== undefined)
        this.#heights.set(row.dataset.row, row.offsetHeight)
    }
    this.#settle()
  }

  /**
   * Returns the height of a gap, px: first the estimated height of its rows, later the height that was set. React must write it in every commit.
   * Otherwise the content would shrink, and the browser would scroll the reader away.
   */
  gapPx(keys: readonly string[], gap: { from: number; to: number }): number {
    const rows = rangeKey(keys, gap)
    const px = this.#gaps.get(rows) ?? new Rows(keys, this.#heightOf).heightPx(gap)
    this.#gaps.set(rows, px)
    return px
  }

  /** @param isWhole true: all rows are drawn and stay drawn. False: only those near the reader, as usual. */
  drawWhole(isWhole: boolean): void {
    if (isWhole === this.#isWhole) return
    this.#isWhole = isWhole
    const first = this.#rows.keys[0]
    if (isWhole && first !== undefined) this.span.set({ first, last: undefined })
    else this.#settle()
  }

  readonly toEnd = (): void => {
    this.#follow(true)
    this.#settle()
  }

  /** Scrolls a row to the top of the screen, and draws it first if needed. @returns the row's element; null if there is no such row */
  show(key: string): HTMLElement | null {
    if (!this.#rows.keys.includes(key)) return null
    this.#follow(false)
    this.#anchor = { key, topPx: 0, parts: [] }
    flushSync(() => this.#cover())
    this.#settle()
    return this.#list === undefined ? null : rowIn(this.#list, key)
  }

  #follow(follows: boolean): void {
    this.#follows = follows
    this.isAtEnd.set(follows)
  }

  #onSizes(entries: readonly ResizeObserverEntry[]): void {
    for (const { target, borderBoxSize } of entries) {
      const { row } = (target as HTMLElement).dataset
      if (row !== undefined && target.isConnected) this.#heights.set(row, borderBoxSize[0]?.blockSize ?? 0)
    }
    this.#settle()
  }

  /** Keeps an element in place when a click expands it, also at the end of the conversation. */
  #onClick({ target }: MouseEvent): void {
    const opener = target instanceof Element ? target.closest('[aria-expanded], summary') : null
    const row = opener?.closest<HTMLElement>('[data-row]')
    if (opener === null || row === null || row === undefined || this.#scroller === undefined) return
    const { key, topPx, parts } = anchorAt(this.#scroller, row)
    this.#anchor = { key, topPx, parts: [{ element: opener, topPx: topIn(this.#scroller, opener) }, ...parts] }
    this.#follows = false
    requestAnimationFrame(() => this.#follow(this.#belowPx() <= nearEndPx))
  }

  /** The height of the content below the screen, px. */
  #belowPx(): number {
    const element = this.#scroller
    return element === undefined ? 0 : element.scrollHeight - element.scrollTop - element.clientHeight
  }

  /** Detects a scroll by the reader. @returns true if the reader scrolled */
  #moved(): boolean {
    const element = this.#scroller
    if (element === undefined || element.scrollTop === this.#lastTop) return false
    const isUp = element.scrollTop < this.#lastTop
    this.#lastTop = element.scrollTop
    const belowPx = this.#belowPx()
    // Only a scroll upwards ends following the end. If nothing is below the screen, the content shrank and the browser scrolled.
    if (isUp && belowPx > 1) this.#follow(false)
    else if (belowPx <= nearEndPx) this.#follow(true)
    if (!this.#follows) this.#anchor = this.#read() ?? this.#anchor
    return true
  }

  /** Returns the first row on screen as an anchor. */
  #read(): Anchor | undefined {
    const [scroller, list, first] = [this.#scroller, this.#list, this.#rows.keys[0]]
    if (scroller === undefined || list === undefined || first === undefined) return undefined
    // At the very top, use the first row as the anchor, independent of the estimated height of the gap above.
    if (scroller.scrollTop <= 0 && this.#drawn.from > 0) return { key: first, topPx: topIn(scroller, list), parts: [] }
    const bottomPx = scroller.getBoundingClientRect().bottom
    const seen = [...list.children].filter((child) => isBelowTop(scroller, child))
    const row = seen.find(
      (child): child is HTMLElement => child instanceof HTMLElement && child.dataset.row !== undefined,
    )
    if (row !== undefined && row.getBoundingClientRect().top < bottomPx) return anchorAt(scroller, row)
    const [gap] = seen
    const piece = gap === undefined ? undefined : this.#pieces[[...list.children].indexOf(gap)]
    if (gap === undefined || piece?.kind !== 'gap') return undefined
    const { top, height } = gap.getBoundingClientRect()
    const ratio = Math.max(0, (scroller.getBoundingClientRect().top - top) / Math.max(1, height))
    const { at, belowPx } = this.#rows.rowAt(piece, ratio)
    return { key: this.#rows.keys[at] ?? first, topPx: -belowPx, parts: [] }
  }

  /** Restores the reader's position and draws the missing rows there. */
  #settle(): void {
    const [element, list] = [this.#scroller, this.#list]
    if (element === undefined) return
    // The reader may have scrolled before the scroll event arrives. But if the content shrank, the browser itself set the position at its end.
    const endPx = element.scrollHeight - element.clientHeight
    if (this.#lastTop <= endPx || element.scrollTop < endPx - 1) this.#moved()
    if (this.#follows) element.scrollTop = element.scrollHeight
    else if (list !== undefined && this.#anchor !== undefined) this.#putBack(element, list, this.#anchor)
    this.#lastTop = element.scrollTop
    this.#cover()
  }

  #putBack(element: HTMLElement, list: HTMLElement, anchor: Anchor): void {
    const px = movedPx(element, anchor, list) ?? 0
    if (Math.abs(px) < 1) return
    const gap = this.#gapAbove(list)
    if (gap !== undefined) {
      const rightPx = this.#rows.heightPx(gap)
      const takenPx = gap.element.offsetHeight - px
      // Within these bounds the scrollbar is accurate enough.
      const isKept = takenPx >= rightPx / 2 && takenPx <= rightPx * 2
      const heightPx = isKept ? takenPx : rightPx
      this.#gaps.set(rangeKey(this.#rows.keys, gap), heightPx)
      gap.element.style.height = `${heightPx}px`
    }
    const left = movedPx(element, anchor, list) ?? 0
    if (Math.abs(left) >= 1) element.scrollTop += left
  }

  /** Returns the gap directly above the drawn rows. */
  #gapAbove(list: HTMLElement): { element: HTMLElement; from: number; to: number } | undefined {
    const at = this.#pieces.findIndex((piece) => piece.kind === 'gap' && piece.to === this.#drawn.from)
    const [element, piece] = [list.children[at], this.#pieces[at]]
    return element instanceof HTMLElement && piece?.kind === 'gap' ? { element, ...piece } : undefined
  }

  /** Changes the drawn rows when too few or too many are drawn around the screen. */
  #cover(): void {
    const { keys } = this.#rows
    const heightPx = this.#scroller?.clientHeight ?? 0
    const last = keys.at(-1)
    if (heightPx === 0 || last === undefined || this.#isWhole) return
    const place = this.#follows || this.#anchor === undefined ? undefined : keys.indexOf(this.#anchor.key)
    const from =
      place === undefined || place < 0 || this.#anchor === undefined
        ? { at: keys.length - 1, topPx: heightPx - this.#heightOf(last) }
        : { at: place, topPx: this.#anchor.topPx }
    const around = (screens: number) =>
      this.#rows.around(from, { abovePx: -screens * heightPx, belowPx: (1 + screens) * heightPx })
    const least = around(leastScreens)
    const isShort = keys.length <= drawnWhole
    const drawnPx = this.#rows.heightPx(this.#drawn)
    const isTooMuch = !isShort && drawnPx > mostScreens * heightPx
    if (least.from >= this.#drawn.from && least.to <= this.#drawn.to && !isTooMuch) return
    this.#renewAverage()
    const wanted = around(newScreens)
    if (isShort) {
      wanted.from = Math.min(wanted.from, this.#drawn.from)
      wanted.to = keys.length
    }
    const first = keys[wanted.from]
    if (first === undefined) return
    const next = { first, last: wanted.to === keys.length ? undefined : keys[wanted.to - 1] }
    const before = this.span.get()
    if (next.first !== before?.first || next.last !== before?.last) this.span.set(next)
  }

  /** Draws one more row above, for a short list that is drawn whole. */
  addAbove(): void {
    const first = this.#rows.keys[this.#drawn.from - 1]
    if (first !== undefined) this.span.set({ first, last: undefined })
  }

  #renewAverage(): void {
    let sum = 0
    for (const px of this.#heights.values()) sum += px
    if (this.#heights.size > 0) this.#averagePx = Math.max(1, Math.round(sum / this.#heights.size))
  }
}

/** Names a range of rows by its first and last row. */
const rangeKey = (keys: readonly string[], { from, to }: { from: number; to: number }) =>
  `${keys[from]} ${keys[to - 1]}`

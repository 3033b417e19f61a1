/** The first row on screen. The distances, px, are from the scroller's top to the top of the row and of its parts. */
export type Anchor = {
  key: string
  topPx: number
  /** Parts of the row, from the smallest to the row itself; empty if the row is not drawn yet. */
  parts: readonly { element: Element; topPx: number }[]
}

const deepest = 8

/** The distance of an element's top below the scroller's top, px. */
export const topIn = (scroller: Element, element: Element): number =>
  element.getBoundingClientRect().top - scroller.getBoundingClientRect().top

/**
 * Makes an anchor at a drawn row. A row may be higher than the screen and change its height above the reader. So the anchor also holds nested parts
 * of the row, down to the first part that is wholly below the scroller's top.
 */
export function anchorAt(scroller: Element, row: HTMLElement): Anchor {
  const parts: { element: Element; topPx: number }[] = []
  let element: Element | undefined = row
  while (element !== undefined && parts.length < deepest) {
    const topPx = topIn(scroller, element)
    parts.unshift({ element, topPx })
    element = topPx >= 0 ? undefined : [...element.children].find((child) => isBelowTop(scroller, child))
  }
  return { key: row.dataset.row ?? '', topPx: parts.at(-1)?.topPx ?? 0, parts }
}

/** Returns the distance by which the anchor moved down, px. Undefined if none of its parts is drawn. */
export function movedPx(scroller: Element, { key, topPx, parts }: Anchor, list: Element): number | undefined {
  const part = parts.find(({ element }) => element.isConnected)
  if (part !== undefined) return topIn(scroller, part.element) - part.topPx
  const row = rowIn(list, key)
  return row === null ? undefined : topIn(scroller, row) - topPx
}

export const rowIn = (list: Element, key: string): HTMLElement | null =>
  list.querySelector<HTMLElement>(`:scope > [data-row="${CSS.escape(key)}"]`)

/** True if an element ends below the scroller's top. */
export const isBelowTop = (scroller: Element, element: Element): boolean =>
  element.getBoundingClientRect().bottom > scroller.getBoundingClientRect().top

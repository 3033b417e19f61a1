/** The first row on screen, with the distances, px, of the row and its parts from the scroller's top. */
export type Anchor = {
  key: string
  topPx: number
  /** From the smallest part up to the row; none where the row is not drawn yet. */
  parts: readonly { element: Element; topPx: number }[]
}

const deepest = 8

/** The distance of an element's top below the scroller's top, px. */
export const topIn = (scroller: Element, element: Element): number =>
  element.getBoundingClientRect().top - scroller.getBoundingClientRect().top

/**
 * Anchors at a drawn row. A row may be higher than the screen and change its height above the reader, so the anchor also
 * holds the row's parts, down to the first that is wholly below the scroller's top.
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

/** How far the anchor moved, px downwards. Undefined when none of its parts is drawn. */
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

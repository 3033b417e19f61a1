import { type RefObject, useEffect, useLayoutEffect } from 'react'
import { usePrinting } from '../../ui/printing.ts'
import { wake } from './parking.ts'
import type { StreamScroll } from './stream-scroll.ts'

/** The longest time that Ctrl+P waits for pictures, ms. */
const picturesMs = 4_000

/**
 * Draws the whole conversation while the page is printed. Ctrl+P first reads the entries that are not loaded, which the browser's own menu cannot
 * wait for. @param readAll undefined if all entries are loaded
 */
export function usePrint(
  scroller: RefObject<HTMLElement | null>,
  scroll: StreamScroll,
  readAll: (() => Promise<void>) | undefined,
): void {
  const isPrinting = usePrinting()
  useLayoutEffect(() => {
    scroll.drawWhole(isPrinting)
  }, [scroll, isPrinting])
  // After the rows are drawn.
  useLayoutEffect(() => {
    if (isPrinting && scroller.current !== null) wake(scroller.current, '')
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isPrint = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === 'p'
      if (!isPrint || event.defaultPrevented) return
      event.preventDefault()
      void (async () => {
        await readAll?.().catch(() => undefined)
        await new Promise(requestAnimationFrame)
        scroll.drawWhole(true)
        await new Promise(requestAnimationFrame)
        await Promise.race([picturesIn(scroller.current), new Promise((passed) => setTimeout(passed, picturesMs))])
        print()
      })()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [scroller, scroll, readAll])
}

/** Loads the pictures of the conversation, also those that a browser loads only near the screen. */
function picturesIn(element: HTMLElement | null) {
  return Promise.all(
    [...(element?.querySelectorAll('img') ?? [])].map((image) => {
      image.loading = 'eager'
      return image.decode().catch(() => undefined)
    }),
  )
}

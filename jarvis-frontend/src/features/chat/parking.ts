import { type RefObject, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** The replacement for content far off screen: the height of the content, px, and its text. */
export type Parked = { px: number; text: string }

const observers = new WeakMap<Element, IntersectionObserver>()
const tell = new WeakMap<Element, (isNear: boolean) => void>()
/** Elements that the reader touched. They are not parked, so that they keep their state and focus. */
const touched = new WeakSet<Element>()

/** Observes elements within three screens above and below the visible part of `scroller`. */
function observerOf(scroller: Element): IntersectionObserver {
  const known = observers.get(scroller)
  if (known !== undefined) return known
  const observer = new IntersectionObserver(
    (entries) =>
      flushSync(() => {
        for (const { target, isIntersecting } of entries) tell.get(target)?.(isIntersecting)
      }),
    { root: scroller, rootMargin: '300% 0px' },
  )
  for (const type of ['pointerdown', 'focusin'])
    scroller.addEventListener(type, ({ target }) => {
      const box = target instanceof Element ? target.closest('.whole') : null
      if (box !== null) touched.add(box)
    })
  observers.set(scroller, observer)
  return observer
}

/**
 * Replaces the content of `box` by its plain text while the box is far off screen. The text can be found, copied and read out, and needs a hundredth
 * of the memory.
 * @param content content that no longer changes; undefined: the content may still grow and is not replaced
 * @returns the replacement; undefined while the content itself is drawn
 */
export function useParked(box: RefObject<HTMLElement | null>, content: object | undefined): Parked | undefined {
  const [parked, setParked] = useState<Parked>()
  useEffect(() => {
    const element = box.current
    const scroller = element?.closest('.scroll')
    if (content === undefined || element === null || scroller == null) return
    const observer = observerOf(scroller)
    const wake = () => flushSync(() => setParked(undefined))
    tell.set(element, (isNear) => {
      if (isNear) setParked(undefined)
      else if (!touched.has(element) && !isSelected(element)) setParked((now) => now ?? read(element))
    })
    element.addEventListener('beforematch', wake)
    observer.observe(element)
    return () => {
      observer.unobserve(element)
      setParked(undefined)
      element.removeEventListener('beforematch', wake)
    }
  }, [box, content])
  return parked
}

/** Reads the height and text of an element. First makes the browser lay it out, because skipped content has no text and only an estimated height. */
function read(element: HTMLElement): Parked {
  const skipped = [element, element.parentElement].filter((box) => box !== null)
  for (const box of skipped) box.style.contentVisibility = 'visible'
  const parked = { px: element.getBoundingClientRect().height, text: element.innerText }
  for (const box of skipped) box.style.contentVisibility = ''
  return parked
}

function isSelected(element: Element): boolean {
  const selection = getSelection()
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true)
}

/** True if `within` contains content that is replaced by its text. */
export const hasParked = (within: Element | null): boolean => within?.querySelector('.parked') != null

/** Draws the parked content in `within` that contains `words` (lower case). */
export function wake(within: Element, words: string): void {
  for (const box of within.querySelectorAll('.parked'))
    if (box.textContent?.toLowerCase().includes(words)) box.dispatchEvent(new Event('beforematch'))
}

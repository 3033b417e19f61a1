import { type RefObject, useEffect, useState } from 'react'

/**
 * The section that is read: the last one that begins above the upper third of what is seen, and the last of all at the end of the page, where
 * short ones never come that far up. @param tops where each begins, px below the upper edge of what is seen
 */
export function sectionAt(tops: readonly number[], height: number, isAtEnd: boolean): number {
  if (isAtEnd) return tops.length - 1
  return Math.max(
    0,
    tops.findLastIndex((top) => top <= height / 3),
  )
}

/** The id of the section of a scrolled page that is read; undefined before the page is drawn. */
export function useSectionInView(body: RefObject<HTMLElement | null>): string | undefined {
  const [id, setId] = useState<string>()
  useEffect(() => {
    const page = body.current
    if (page === null) return
    const look = () => {
      const seen = page.getBoundingClientRect()
      const sections = [...page.querySelectorAll<HTMLElement>(':scope > section')]
      const tops = sections.map((section) => section.getBoundingClientRect().top - seen.top)
      const isScrolled = page.scrollHeight > page.clientHeight
      const isAtEnd = isScrolled && page.scrollTop + page.clientHeight >= page.scrollHeight - 2
      setId(sections[sectionAt(tops, seen.height, isAtEnd)]?.id)
    }
    // Sections grow as their data comes.
    const watch = new ResizeObserver(look)
    for (const child of page.children) watch.observe(child)
    page.addEventListener('scroll', look, { passive: true })
    return () => {
      watch.disconnect()
      page.removeEventListener('scroll', look)
    }
  }, [body])
  return id
}

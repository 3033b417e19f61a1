import { type RefObject, useEffect, useState } from 'react'

/**
 * Returns the section that the person is reading: the last one that begins in the upper third of the visible part. At the end of the page it is the
 * last section, because short sections there never reach the upper third. @param tops start of each section, px below the upper edge of the visible
 * part
 */
export function sectionAt(tops: readonly number[], height: number, isAtEnd: boolean): number {
  if (isAtEnd) return tops.length - 1
  return Math.max(
    0,
    tops.findLastIndex((top) => top <= height / 3),
  )
}

/** Returns the id of the section that the person is reading; undefined before the page is drawn. */
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
    // Sections grow when their data arrives.
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

import { createContext, use, useMemo } from 'react'
import { signedIn } from '../api/auth.ts'
import { useLocation } from '../lib/location.tsx'
import { useValue } from '../lib/use-value.ts'
import { type Opened, type Page, PageList, type Place } from './page-list.ts'

export const PagesContext = createContext(new PageList([]))
export const usePages = (): PageList => use(PagesContext)

/** The open page with its parameters; undefined if no page has the present address. */
export function useHere(): Opened | undefined {
  const pages = usePages()
  const { pathname, hash } = useLocation()
  return useMemo(() => pages.at({ pathname, hash }), [pages, pathname, hash])
}

/** The pages of a place that this person may open. */
export function usePagesIn(place: Place): readonly Page[] {
  const pages = usePages()
  const rank = useValue(signedIn)?.rank
  return useMemo(() => pages.shownIn(place, rank), [pages, place, rank])
}

import { useMemo, useRef } from 'react'
import { useValue } from '../lib/use-value.ts'
import { Earlier, joined, type Page } from './earlier.ts'
import { useLoad } from './use-load.ts'

type Asked<T, P extends Page<T>> = {
  /** Names the request and its filter. Another key begins anew with the newest page. */
  key: string
  /** @param before the `next` of an earlier page; undefined: the newest page */
  read: (before?: string) => Promise<P>
  /** The same function at each call. */
  idOf: (item: T) => unknown
  /** The changes after which the newest page is read again. */
  on: readonly string[]
}

/** Reads a list page by page, newest first. After a change the newest page is read again; earlier pages are read on request. */
export function usePaged<T, P extends Page<T>>({ key, read, idOf, on }: Asked<T, P>) {
  const { data: newest, isOld, problem, again } = useLoad(key, () => read(), on)
  const reader = useRef(read)
  reader.current = read
  // biome-ignore lint/correctness/useExhaustiveDependencies: another key has other pages
  const earlier = useMemo(() => new Earlier<T, P>((before) => reader.current(before)), [key])
  const { pages: known, problem: earlierProblem } = useValue(earlier.state)
  const pages = useMemo(() => newest && [newest, ...(isOld ? [] : known)], [newest, isOld, known])
  const items = useMemo(() => pages && joined<T>(pages, idOf), [pages, idOf])
  const more = () => {
    if (newest !== undefined && !isOld) void earlier.more(newest)
  }
  return {
    /** The items of all pages; undefined until the newest page is read. */
    items,
    pages,
    newest,
    isOld,
    problem,
    again,
    earlierProblem,
    hasMore: !isOld && pages?.at(-1)?.next !== undefined,
    more,
    drop: (isGone: (item: T) => boolean) => earlier.drop(isGone),
  }
}

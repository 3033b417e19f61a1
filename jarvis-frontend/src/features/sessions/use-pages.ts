import type { SessionSummary, SessionsPage } from 'protocol'
import { ApiError } from 'protocol/client'
import { useEffect, useMemo, useRef, useState } from 'react'
import { listSessions, type SessionFilter } from '../../api/session-acts.ts'
import { useLoad } from '../../api/use-load.ts'

const indexingAgainMs = 1_000

/** Loads sessions page by page. After a change the newest page is read again; scrolling reads older pages. */
export function usePages(filter: SessionFilter) {
  const key = JSON.stringify(filter)
  const newest = useLoad(`sessions ${key}`, () => listSessions(filter), ['connect', 'sessions', 'confirmations'])
  const [older, setOlder] = useState<{ key: string; items: SessionSummary[]; next: string | undefined }>()
  const [problem, setProblem] = useState<ApiError>()
  const isReading = useRef(false)
  const known = older?.key === key && !newest.isOld ? older : undefined
  const next = known === undefined ? newest.data?.next : known.next
  const { again } = newest
  const isIndexing = newest.data?.isIndexing === true
  useEffect(() => {
    if (!isIndexing) return
    const timer = setInterval(again, indexingAgainMs)
    return () => clearInterval(timer)
  }, [isIndexing, again])

  async function more() {
    if (next === undefined || newest.isOld || isReading.current) return
    isReading.current = true
    try {
      const page: SessionsPage = await listSessions(filter, next)
      setOlder((before) => ({
        key,
        items: [...(before?.key === key ? before.items : []), ...page.items],
        next: page.next,
      }))
      setProblem(undefined)
    } catch (error) {
      setProblem(error instanceof ApiError ? error : new ApiError('unreadable', 'The answer could not be read.'))
    }
    isReading.current = false
  }

  const read = newest.data?.items
  const sessions = useMemo(() => {
    // A session that changed meanwhile is now on the newest page, so remove its old row.
    const seen = new Set(read?.map(({ id }) => id))
    return read && [...read, ...(known?.items ?? []).filter(({ id }) => !seen.has(id))]
  }, [read, known])
  return {
    sessions,
    isOld: newest.isOld,
    isIndexing,
    problem: newest.problem,
    olderProblem: problem,
    hasMore: next !== undefined,
    more: () => void more(),
    again,
    /** Removes a session from the loaded pages, because it no longer belongs to the list. */
    drop: (id: string) =>
      setOlder((before) => before && { ...before, items: before.items.filter((session) => session.id !== id) }),
  }
}

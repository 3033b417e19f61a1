import { useVirtualizer } from '@tanstack/react-virtual'
import type { SessionSummary } from 'protocol'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { chosen } from '../../lib/chosen.ts'
import { usePrinting } from '../../ui/printing.ts'
import { byDay } from './by-day.ts'
import { type RowActs, SessionRow } from './row.tsx'

const rowPx = 44
const foundPx = 66
const dayPx = 40
/** Distance from the end of the list, in rows, at which the next page is read. */
const rowsAhead = 15

type Props = {
  sessions: readonly SessionSummary[]
  now: number
  query: string
  scroller: React.RefObject<HTMLElement | null>
  acts: RowActs
  mayChange: boolean
  hasMore: boolean
  onMore: () => void
  onUndo: () => void
}

const linkOf = (id: string) => document.querySelector<HTMLElement>(`[data-session="${CSS.escape(id)}"]`)

/** Sessions by day. Only rows near the screen are drawn. The keys J, K, R, E, Delete and U do the same as the buttons. */
export function SessionList({ sessions, now, query, scroller, acts, mayChange, hasMore, onMore, onUndo }: Props) {
  const lines = useMemo(() => byDay(sessions, now), [sessions, now])
  // Keep the same function: a new one would measure all rows again.
  const keyOf = useCallback((at: number) => lines[at]?.key ?? at, [lines])
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  const [doing, setDoing] = useState<{ id: string; what: 'acts' | 'naming' }>()
  const focusNext = useRef<string>(undefined)
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    getItemKey: keyOf,
    estimateSize: (at) => {
      const line = lines[at]
      return line?.kind === 'day'
        ? dayPx
        : (line?.session.found ?? line?.session.preview) === undefined
          ? rowPx
          : foundPx
    },
    overscan: usePrinting() ? lines.length : 10,
    scrollMargin: top,
  })
  const drawn = rows.getVirtualItems()
  const last = drawn.at(-1)?.index ?? 0
  const isNearEnd = hasMore && last >= lines.length - rowsAhead
  const onEnd = useRef(onMore)
  onEnd.current = onMore
  // biome-ignore lint/correctness/useExhaustiveDependencies: more lines may still be too few
  useEffect(() => {
    if (isNearEnd) onEnd.current()
  }, [isNearEnd, lines.length])
  useLayoutEffect(() => {
    setTop(list.current?.offsetTop ?? 0)
  }, [])
  useLayoutEffect(() => {
    const id = focusNext.current
    if (id === undefined) return
    const link = linkOf(id)
    if (link === null) return
    focusNext.current = undefined
    link.focus({ preventScroll: true })
    link.scrollIntoView({ block: 'nearest' })
  })

  /** Wraps an action that removes a session from the list: the focus moves to a neighbouring row. */
  const leaving = (work: (session: SessionSummary) => void) => (session: SessionSummary) => {
    const at = sessions.findIndex(({ id }) => id === session.id)
    focusNext.current = (sessions[at + 1] ?? sessions[at - 1])?.id
    setDoing(undefined)
    work(session)
  }
  const all: RowActs = {
    ...acts,
    rename(session, title) {
      focusNext.current = session.id
      setDoing(undefined)
      acts.rename(session, title)
    },
    archive: leaving(acts.archive),
    remove: leaving(acts.remove),
  }
  const latest = useRef(all)
  latest.current = all
  // Keep the same object, so that scrolling draws only new rows.
  const steady = useMemo<RowActs>(
    () => ({
      rename: (...given) => latest.current.rename(...given),
      archive: (session) => latest.current.archive(session),
      save: (...given) => latest.current.save(...given),
      remove: (session) => latest.current.remove(session),
    }),
    [],
  )
  const onDoing = useCallback((id: string, what: 'acts' | 'naming' | undefined) => {
    setDoing((before) => {
      // After renaming, the focus returns to the session's row.
      if (what === undefined && before?.what === 'naming') focusNext.current = id
      return what && { id, what }
    })
  }, [])
  const onKeyDown = (event: React.KeyboardEvent) => {
    const id = (event.target as HTMLElement).dataset.session
    const session = sessions.find((known) => known.id === id)
    if (event.ctrlKey || event.metaKey || event.altKey || session === undefined) return
    const key = event.key.toLowerCase()
    if (key !== 'delete' && chosen('letters') === 'off') return
    const at = sessions.indexOf(session)
    const step = { j: 1, k: -1 }[key]
    if (step !== undefined) {
      const next = sessions[at + step]
      if (next === undefined) return
      const link = linkOf(next.id)
      if (link === null) {
        focusNext.current = next.id
        rows.scrollToIndex(lines.findIndex((line) => line.key === next.id))
      } else {
        link.focus({ preventScroll: true })
        link.scrollIntoView({ block: 'nearest' })
      }
    } else if (!mayChange) return
    else if (key === 'r') setDoing({ id: session.id, what: 'naming' })
    else if (key === 'e') all.archive(session)
    else if (key === 'delete') all.remove(session)
    else if (key === 'u') onUndo()
    else return
    event.preventDefault()
  }
  return (
    <ul
      ref={list}
      className="session-list"
      aria-label="Sessions"
      style={{ height: rows.getTotalSize() }}
      onKeyDown={onKeyDown}
    >
      {drawn.map(({ index, key, start }) => {
        const line = lines[index]
        if (line === undefined) return null
        return (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            style={{ transform: `translateY(${start - rows.options.scrollMargin}px)` }}
          >
            {line.kind === 'day' ? (
              <h2 className="cap">{line.day}</h2>
            ) : (
              <SessionRow
                session={line.session}
                query={query}
                acts={steady}
                mayChange={mayChange}
                doing={doing?.id === line.session.id ? doing.what : undefined}
                onDoing={onDoing}
              />
            )}
          </li>
        )
      })}
    </ul>
  )
}

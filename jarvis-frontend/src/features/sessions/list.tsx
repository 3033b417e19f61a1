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
  const focusNext = useFocusNext()
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    getItemKey: keyOf,
    estimateSize: (at) => heightOf(lines[at]),
    overscan: usePrinting() ? lines.length : 10,
    scrollMargin: top,
  })
  const drawn = rows.getVirtualItems()
  useEnd(hasMore && (drawn.at(-1)?.index ?? 0) >= lines.length - rowsAhead, lines.length, onMore)
  useLayoutEffect(() => {
    setTop(list.current?.offsetTop ?? 0)
  }, [])

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
  const steady = useSteady(all)
  const onDoing = useCallback(
    (id: string, what: 'acts' | 'naming' | undefined) => {
      setDoing((before) => {
        // After renaming, the focus returns to the session's row.
        if (what === undefined && before?.what === 'naming') focusNext.current = id
        return what && { id, what }
      })
    },
    [focusNext],
  )
  const onKeyDown = keysOf({
    sessions,
    acts: mayChange
      ? { r: (session) => setDoing({ id: session.id, what: 'naming' }), e: all.archive, delete: all.remove, u: onUndo }
      : {},
    go(session) {
      const link = linkOf(session.id)
      if (link !== null) return goTo(link)
      focusNext.current = session.id
      rows.scrollToIndex(lines.findIndex((line) => line.key === session.id))
    },
  })
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

const heightOf = (line: ReturnType<typeof byDay>[number] | undefined) => {
  if (line?.kind === 'day') return dayPx
  return (line?.session.found ?? line?.session.preview) === undefined ? rowPx : foundPx
}

/** Holds the id of the session whose row gets the focus once it is drawn. */
function useFocusNext() {
  const focusNext = useRef<string>(undefined)
  useLayoutEffect(() => {
    const id = focusNext.current
    if (id === undefined) return
    const link = linkOf(id)
    if (link === null) return
    focusNext.current = undefined
    goTo(link)
  })
  return focusNext
}

function goTo(link: HTMLElement) {
  link.focus({ preventScroll: true })
  link.scrollIntoView({ block: 'nearest' })
}

/** Calls `onEnd` near the end of the list, and again after more lines if they are still too few. */
function useEnd(isNear: boolean, lines: number, onEnd: () => void) {
  const current = useRef(onEnd)
  current.current = onEnd
  // biome-ignore lint/correctness/useExhaustiveDependencies: more lines may still be too few
  useEffect(() => {
    if (isNear) current.current()
  }, [isNear, lines])
}

/** Returns the same object at each call, so that scrolling draws only new rows. */
function useSteady(acts: RowActs): RowActs {
  const latest = useRef(acts)
  latest.current = acts
  return useMemo(
    () => ({
      rename: (...given) => latest.current.rename(...given),
      archive: (session) => latest.current.archive(session),
      save: (...given) => latest.current.save(...given),
      remove: (session) => latest.current.remove(session),
    }),
    [],
  )
}

type Keys = {
  sessions: readonly SessionSummary[]
  /** Keys, and what each does with the session that has the focus. */
  acts: Record<string, (session: SessionSummary) => void>
  go: (session: SessionSummary) => void
}

/** J and K go to the next session and back; the other keys are those of `acts`. */
const keysOf =
  ({ sessions, acts, go }: Keys) =>
  (event: React.KeyboardEvent) => {
    const id = (event.target as HTMLElement).dataset.session
    const at = sessions.findIndex((known) => known.id === id)
    const session = sessions[at]
    if (event.ctrlKey || event.metaKey || event.altKey || session === undefined) return
    const key = event.key.toLowerCase()
    if (key !== 'delete' && chosen('letters') === 'off') return
    const step = { j: 1, k: -1 }[key]
    if (step === undefined) {
      const act = acts[key]
      if (act === undefined) return
      act(session)
    } else {
      const next = sessions[at + step]
      if (next === undefined) return
      go(next)
    }
    event.preventDefault()
  }

import { useEffect, useRef } from 'react'
import { earlierEntries } from '../../api/earlier-entries.ts'
import type { Run } from './runs.ts'
import type { SessionStore } from './store.ts'

type Props = {
  store: SessionStore
  sessionId: string
  /** The entry to open: a message, or a text of an answer. */
  seq: number
  runs: readonly Run[]
  /** Scrolls a run into view. @returns its element */
  onShow: (runId: string) => HTMLElement | null
}

/** Opens a session at one message, at any distance from the end, and marks it. */
export function GoTo({ store, sessionId, seq, runs, onShow }: Props) {
  const isThere = useRef(false)
  const show = useRef(onShow)
  show.current = onShow
  const runId = runs.find(({ entries }) => entries.some((entry) => entry.seq === seq))?.runId
  const isFarUp = runId === undefined && runs.length > 0
  useEffect(() => {
    // If the read fails, the session stays at its end and shows the error itself.
    if (isFarUp) void readBackTo(store, sessionId, seq).catch(() => undefined)
  }, [store, sessionId, seq, isFarUp])
  useEffect(() => {
    if (runId === undefined || isThere.current) return
    // `onShow` uses `flushSync`, which React does not allow inside an effect.
    queueMicrotask(() => {
      const row = isThere.current ? null : show.current(runId)
      if (row === null) return
      isThere.current = true
      const message = row.querySelector<HTMLElement>(`[data-seq="${seq}"]`) ?? row
      message.dataset.found = ''
      message.tabIndex = -1
      // The button that opened this version may already have the focus.
      if (!row.contains(document.activeElement)) message.focus({ preventScroll: true })
      message.scrollIntoView({ block: 'center' })
    })
  }, [runId, seq])
  return null
}

/** Reads page after page, and adds all of them together, so that the conversation is drawn only once. */
export async function readBackTo(store: SessionStore, sessionId: string, seq: number): Promise<void> {
  const { view } = store.state.get()
  let first = view?.entries[0]?.seq ?? 0
  let hasMore = view?.hasEarlier === true
  const found = []
  while (hasMore && first > seq) {
    const page = await earlierEntries(sessionId, first)
    found.unshift(...page.items)
    hasMore = page.hasEarlier
    first = page.items[0]?.seq ?? 0
  }
  if (found.length > 0) store.addEarlier(found, hasMore)
}

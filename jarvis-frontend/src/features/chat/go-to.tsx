import { useEffect, useRef } from 'react'
import { earlierEntries } from '../../api/earlier-entries.ts'
import type { Run } from './runs.ts'
import type { SessionStore } from './store.ts'

type Props = {
  store: SessionStore
  sessionId: string
  /** The entry to open: a message, or words of an answer. */
  seq: number
  runs: readonly Run[]
  /** Brings a run on screen. @returns its element */
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
    // Where the read fails, the session stands at its end and says itself what is wrong.
    if (isFarUp) void readBackTo(store, sessionId, seq).catch(() => undefined)
  }, [store, sessionId, seq, isFarUp])
  useEffect(() => {
    if (runId === undefined || isThere.current) return
    // Showing a run uses `flushSync`, which React does not allow within an effect.
    queueMicrotask(() => {
      const row = isThere.current ? null : show.current(runId)
      if (row === null) return
      isThere.current = true
      const message = row.querySelector<HTMLElement>(`[data-seq="${seq}"]`) ?? row
      message.dataset.found = ''
      message.tabIndex = -1
      // The button that led here from another version may have the focus already.
      if (!row.contains(document.activeElement)) message.focus({ preventScroll: true })
      message.scrollIntoView({ block: 'center' })
    })
  }, [runId, seq])
  return null
}

/** Reads page after page and then shows all of them together, which draws the stream once. */
async function readBackTo(store: SessionStore, sessionId: string, seq: number): Promise<void> {
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

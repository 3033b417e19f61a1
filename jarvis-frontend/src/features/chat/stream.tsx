import { memo, Suspense, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useValue } from '../../lib/use-value.ts'
import { Boundary } from '../../ui/boundary.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Tier } from '../../ui/tier.tsx'
import { useChat } from './client.ts'
import { EarlierButton } from './earlier-button.tsx'
import { StreamSkeleton, UserMessage } from './message.tsx'
import { soon } from './optional.ts'
import { hasParked } from './parking.ts'
import { drawnWhole } from './rows.ts'
import { RunView } from './run.tsx'
import { type Run, runsOf } from './runs.ts'
import type { SessionState, SessionStore } from './store.ts'
import { StreamScroll } from './stream-scroll.ts'
import { usePrint } from './use-print.ts'
import { useRows } from './use-rows.ts'

const Find = soon(
  () => import('./find.tsx').then((part) => part.Find),
  () => null,
)

const GoTo = soon(
  () => import('./go-to.tsx').then((part) => part.GoTo),
  () => null,
)

type Send = (text: string, requestId?: string) => void

type Props = {
  store: SessionStore
  /** The store's calm state. The streaming run draws its own tokens. */
  state: SessionState
  sessionId: string
  canSend: boolean
  onSend: Send
  /** The message to scroll to. `key` changes when the same message is requested again. */
  at?: { seq: number; key: string } | undefined
}

/** The distance from the top at which older entries are read. */
const earlierFromPx = 800

/** The conversation. It scrolls with new text only while the reader is at the end. */
export function Stream({ store, state, sessionId, canSend, onSend, at }: Props) {
  const { view, outgoing } = state
  const scroller = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const before = useRef<Run[]>([])
  const entries = view?.entries
  const runs = useMemo(() => {
    before.current = runsOf(entries ?? [], before.current)
    return before.current
  }, [entries])
  const [scroll] = useState(() => new StreamScroll())
  const isAtEnd = useValue(scroll.isAtEnd)
  const [isFinding, setFinding] = useFind(scroller, runs.length > drawnWhole || view?.hasEarlier === true)
  useLayoutEffect(
    () =>
      scroller.current === null || content.current === null
        ? undefined
        : scroll.attach(scroller.current, content.current),
    [scroll],
  )
  const sent = outgoing.at(-1)?.requestId
  // A message that is sent here is followed, wherever the reader was.
  useLayoutEffect(() => {
    if (sent !== undefined) scroll.toEnd()
  }, [sent, scroll])
  const earlier = useEarlier(scroller, sessionId, view?.hasEarlier ?? false)
  const send = useRef(onSend)
  send.current = onSend
  const hasEarlier = view?.hasEarlier === true
  usePrint(
    scroller,
    scroll,
    useMemo(
      () =>
        hasEarlier ? () => import('./go-to.tsx').then(({ readBackTo }) => readBackTo(store, sessionId, 0)) : undefined,
      [hasEarlier, store, sessionId],
    ),
  )
  const live = useCallback(() => store.state.get().view, [store])
  const retry = useMemo(() => (text: string) => send.current(text), [])
  return (
    <div className="stream-frame">
      <section
        ref={scroller}
        className="stream scroll"
        role="log"
        aria-live="off"
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
        tabIndex={0}
      >
        <div ref={content} className="stream-column">
          {hasEarlier && (
            <>
              <EarlierButton isLoading={earlier.isLoading} onLoad={() => void earlier.load()} />
              <p className="on-paper">Earlier messages were not loaded. Ctrl P on the page prints them too.</p>
            </>
          )}
          {view === undefined && !state.missing && <StreamSkeleton />}
          {view !== undefined && (
            <Runs
              runs={runs}
              scroll={scroll}
              store={store}
              state={state}
              onRetry={canSend && view.runId === undefined ? retry : undefined}
            />
          )}
          <Outgoing messages={outgoing} onSend={onSend} />
        </div>
      </section>
      {isFinding && (
        <Suspense fallback={null}>
          <Find
            runs={runs}
            live={live}
            onMore={view?.hasEarlier === true ? earlier.load : undefined}
            onShow={(runId) => scroll.show(runId)}
            onClose={() => setFinding(false)}
          />
        </Suspense>
      )}
      {at !== undefined && view !== undefined && (
        <Suspense fallback={null}>
          <GoTo
            key={at.key}
            store={store}
            sessionId={sessionId}
            seq={at.seq}
            runs={runs}
            onShow={(runId) => scroll.show(runId)}
          />
        </Suspense>
      )}
      {!isAtEnd && <Jump scroller={scroller} toEnd={scroll.toEnd} view={view} />}
    </div>
  )
}

/** The messages that the server has not taken yet. */
const Outgoing = ({ messages, onSend }: { messages: SessionState['outgoing']; onSend: Send }) =>
  messages.map((message) => (
    <UserMessage key={message.requestId} text={message.text}>
      {message.error === undefined ? (
        <span className="text-dim">Sending</span>
      ) : (
        <>
          <span className="text-soft">{message.error}</span>
          <button type="button" className="button small" onClick={() => onSend(message.text, message.requestId)}>
            Send again
          </button>
        </>
      )}
    </UserMessage>
  ))

/** Returns if the page's own search is open. Ctrl+F opens it; a second Ctrl+F opens the browser's search. */
function useFind(scroller: React.RefObject<HTMLElement | null>, isPartial: boolean) {
  const [isFinding, setFinding] = useState(false)
  useLayoutEffect(() => {
    if (isFinding) return
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'f') return
      if (!isPartial && !hasParked(scroller.current)) return
      event.preventDefault()
      setFinding(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [scroller, isPartial, isFinding])
  return [isFinding, setFinding] as const
}

type RunsProps = Pick<Props, 'store' | 'state'> & {
  runs: readonly Run[]
  scroll: StreamScroll
  onRetry: Send | undefined
}

const Runs = memo(function Runs({ runs, scroll, store, state, onRetry }: RunsProps) {
  const { view, thoughtMs } = state
  const list = useRef<HTMLDivElement>(null)
  const runId = view?.runId
  const keys = useMemo(() => {
    const known = runs.map((run) => run.runId)
    // The run's message may not have arrived yet.
    return runId === undefined || known.includes(runId) ? known : [...known, runId]
  }, [runs, runId])
  const pinned = runs.filter((run) => run.end === undefined || holdsAddressed(run)).map((run) => run.runId)
  const pieces = useRows(scroll, list, { keys, pinned })
  return (
    <div ref={list}>
      {pieces.map((piece) => {
        if (piece.kind === 'gap') return <div key={piece.key} data-gap style={{ height: scroll.gapPx(keys, piece) }} />
        const run = runs[piece.at] ?? { runId: piece.key, entries: [], items: [] }
        return (
          <div key={piece.key} ref={scroll.measure} data-row={piece.key}>
            <Boundary
              instead={<p className="note">This answer could not be shown. The others and what you type are kept.</p>}
            >
              <RunView
                run={run}
                sessionId={view?.sessionId ?? ''}
                progress={run.end === undefined ? view?.progress : undefined}
                live={run.runId === runId ? store : undefined}
                thoughtMs={thoughtMs}
                onRetry={piece.at === runs.length - 1 ? onRetry : undefined}
              />
            </Boundary>
          </div>
        )
      })}
    </div>
  )
})

/** True if the URL names a card or a question of this run. */
const holdsAddressed = ({ items }: Run) =>
  /^#(card|question)-/.test(location.hash) &&
  items.some(
    (item) =>
      item.kind === 'call' &&
      (location.hash === `#card-${item.call.needed?.toolUseId}` ||
        item.call.asked?.some(({ question }) => location.hash === `#question-${question.questionId}`)),
  )

/** A button that scrolls to the end. It says what is below, first of all what waits there. */
function Jump({
  scroller,
  toEnd,
  view,
}: {
  scroller: React.RefObject<HTMLElement | null>
  toEnd: () => void
  view: SessionState['view']
}) {
  const [leftAt] = useState(view?.lastSeq ?? 0)
  const hasNew = view?.runId !== undefined || (view?.lastSeq ?? 0) > leftAt
  const bottom = scroller.current?.getBoundingClientRect().bottom ?? 0
  const waiting = [
    ...(view?.pending.map((card) => `card-${card.toolUseId}`) ?? []),
    ...(view?.questions.map(({ questionId }) => `question-${questionId}`) ?? []),
  ]
  const below = waiting.filter((id) => (document.getElementById(id)?.getBoundingClientRect().bottom ?? 0) > bottom)
  return (
    <button type="button" className="jump" onClick={toEnd}>
      {below.length > 0 ? (
        <>
          <Tier tier="red" size={11} /> {below.length} {below.length === 1 ? 'waits' : 'wait'} below
        </>
      ) : hasNew ? (
        'New text below'
      ) : (
        'To the end'
      )}
      <Icon name="down" />
    </button>
  )
}

/** Reads older entries once the reader comes near the top. The text on screen does not move. */
function useEarlier(scroller: React.RefObject<HTMLElement | null>, sessionId: string, hasEarlier: boolean) {
  const chat = useChat()
  const [isLoading, setLoading] = useState(false)
  const load = async () => {
    if (!hasEarlier) return
    setLoading(true)
    await chat.loadEarlier(sessionId).catch(() => undefined)
    setLoading(false)
  }
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    const element = scroller.current
    const onScroll = () => {
      if (element !== null && element.scrollTop < earlierFromPx) void latest.current()
    }
    element?.addEventListener('scroll', onScroll, { passive: true })
    return () => element?.removeEventListener('scroll', onScroll)
  }, [scroller])
  return { load, isLoading }
}

import { useLayoutEffect, useRef, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { Tier } from '../../ui/tier.tsx'
import { useChat } from './client.ts'
import { Partial, RunView, UserMessage, Working } from './run.tsx'
import { type Run, runsOf } from './runs.ts'
import type { SessionState } from './store.ts'
import { useFollow } from './use-follow.ts'

type Props = {
  state: SessionState
  sessionId: string
  canSend: boolean
  onSend: (text: string, requestId?: string) => void
}

/** The conversation. Follows only while the reader is at its end. */
export function Stream({ state, sessionId, canSend, onSend }: Props) {
  const { view, outgoing, thoughtMs, thinkingSince } = state
  const scroller = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const before = useRef<Run[]>([])
  before.current = runsOf(view?.entries ?? [], before.current)
  const runs = before.current
  const { isAtEnd, toEnd } = useFollow(scroller, content, `${sessionId}${view === undefined ? '' : ' ready'}`)
  const earlier = useEarlier(scroller, sessionId, view?.entries[0]?.seq, view?.hasEarlier ?? false)
  const retry = canSend && view?.runId === undefined ? onSend : undefined
  const last = runs.at(-1)
  const isWaiting = (view?.pending.length ?? 0) > 0
  const isSilent =
    view?.runId !== undefined &&
    view.partial.text === '' &&
    view.partial.thinking === '' &&
    !isWaiting &&
    !(
      last?.items.some(
        (item) => item.kind === 'call' && item.call.started !== undefined && item.call.result === undefined,
      ) ?? false
    )
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
          {view?.hasEarlier === true && (
            <button
              type="button"
              className="button small quiet earlier"
              onClick={() => void earlier.load()}
              disabled={earlier.isLoading}
            >
              {earlier.isLoading ? 'Reading earlier entries' : 'Show earlier entries'}
            </button>
          )}
          {view === undefined && !state.missing && <StreamSkeleton />}
          {runs.map((run, at) => (
            <div key={run.runId} className={at < runs.length - 2 ? 'settled-run' : undefined}>
              <RunView
                run={run}
                sessionId={sessionId}
                progress={run.end === undefined ? view?.progress : undefined}
                thoughtMs={thoughtMs}
                onRetry={at === runs.length - 1 ? retry : undefined}
              />
            </div>
          ))}
          {view !== undefined && (
            <div className="run">
              <Partial partial={view.partial} thinkingSince={thinkingSince} />
              {isSilent && <Working />}
            </div>
          )}
          {outgoing.map((message) => (
            <UserMessage key={message.requestId} text={message.text}>
              {message.error === undefined ? (
                <span className="text-dim">Sending</span>
              ) : (
                <>
                  <span className="text-soft">{message.error}</span>
                  <button
                    type="button"
                    className="button small"
                    onClick={() => onSend(message.text, message.requestId)}
                  >
                    Send again
                  </button>
                </>
              )}
            </UserMessage>
          ))}
        </div>
      </section>
      {!isAtEnd && (
        <Jump scroller={scroller} toEnd={toEnd} waiting={view?.pending.map((card) => card.toolUseId) ?? []} />
      )}
    </div>
  )
}

/** Says what is below, a waiting card first. */
function Jump({
  scroller,
  toEnd,
  waiting,
}: {
  scroller: React.RefObject<HTMLElement | null>
  toEnd: () => void
  waiting: string[]
}) {
  const bottom = scroller.current?.getBoundingClientRect().bottom ?? 0
  const below = waiting.filter(
    (id) => (document.getElementById(`card-${id}`)?.getBoundingClientRect().bottom ?? 0) > bottom,
  )
  return (
    <button type="button" className="jump" onClick={toEnd}>
      {below.length > 0 ? (
        <>
          <Tier tier="red" size={11} /> {below.length} {below.length === 1 ? 'waits' : 'wait'} below
        </>
      ) : (
        'New text below'
      )}
      <Icon name="down" />
    </button>
  )
}

/** Reads older entries above without a jump. */
function useEarlier(
  scroller: React.RefObject<HTMLElement | null>,
  sessionId: string,
  firstSeq: number | undefined,
  hasEarlier: boolean,
) {
  const chat = useChat()
  const [isLoading, setLoading] = useState(false)
  const fromEnd = useRef<number>(undefined)
  const load = async () => {
    const element = scroller.current
    if (element === null || isLoading || !hasEarlier) return
    setLoading(true)
    fromEnd.current = element.scrollHeight - element.scrollTop
    await chat.loadEarlier(sessionId).catch(() => undefined)
    setLoading(false)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new first entry is what moves the view
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || fromEnd.current === undefined) return
    element.scrollTop = element.scrollHeight - fromEnd.current
    fromEnd.current = undefined
  }, [firstSeq])
  return { load, isLoading }
}

function StreamSkeleton() {
  return (
    <div className="stream-skeleton" aria-busy="true">
      <span className="vh">The session is being read.</span>
      <div className="skeleton" style={{ height: 38, width: '58%', marginLeft: 'auto' }} />
      <div className="skeleton" style={{ height: 20, width: '72%' }} />
      <div className="skeleton" style={{ height: 20, width: '64%' }} />
      <div className="skeleton" style={{ height: 66, width: '90%' }} />
    </div>
  )
}

import type { EntryOf } from 'protocol'
import { memo, Suspense, useMemo } from 'react'
import { useValue } from '../../lib/use-value.ts'
import { Value } from '../../lib/value.ts'
import { Boundary } from '../../ui/boundary.tsx'
import { Markdown } from './markdown.tsx'
import { UserMessage, Working } from './message.tsx'
import { soon } from './optional.ts'
import type { ThoughtTime } from './rare-rows.tsx'
import { applicableOf, type Call, type Row, type Run, rowsOf, skillOf, streamingItems, viewOf } from './runs.ts'
import { useSlots } from './slots.ts'
import type { SessionView } from './state.ts'
import { nothingYet, type SessionStore } from './store.ts'
import { SuggestedContext } from './suggested.tsx'
import { CallView, ReadsRow, ToolRow } from './tool-row.tsx'

const nothing = new Value(nothingYet)

type RunProps = {
  run: Run
  sessionId: string
  /** State of the run in progress; undefined for other runs, so that they are not drawn again. */
  progress: SessionView['progress'] | undefined
  /** The session's store, which has the streaming turn; undefined for runs that have ended. */
  live: SessionStore | undefined
  thoughtMs: ReadonlyMap<number, number>
  onRetry: ((text: string) => void) | undefined
}

/** A message and its answer, drawn along a vertical line with a mark for each step. */
export const RunView = memo(function RunView({ run, sessionId, progress, live, thoughtMs, onRetry }: RunProps) {
  const settled = useMemo(() => rowsOf(run), [run])
  const { view, thinkingSince, thoughtUntil } = useValue(live?.state ?? nothing)
  const rows = view === undefined ? settled : [...settled, ...streamingItems(run, view.partial)]
  const isThinking = thinkingSince !== undefined && thoughtUntil === undefined
  const thoughtFor = thinkingSince === undefined || isThinking ? undefined : (thoughtUntil ?? 0) - thinkingSince
  return (
    <>
      {run.user !== undefined && (
        <Boundary instead={<p className="note">This message could not be shown.</p>}>
          <Asked user={run.user} sessionId={sessionId} />
        </Boundary>
      )}
      <div className="run">
        {rows.map((row) => (
          <Boundary key={row.key} instead={<p className="step note">This step could not be shown.</p>}>
            <Suspense fallback={<div className="step" />}>
              <RowView
                row={row}
                sessionId={sessionId}
                progress={progress}
                isOpen={run.end === undefined}
                onAsk={onRetry}
                {...(row.kind === 'thinking' && {
                  since: row.seq === undefined && isThinking ? thinkingSince : undefined,
                  tookMs: row.seq === undefined ? thoughtFor : thoughtMs.get(row.seq),
                })}
              />
            </Suspense>
          </Boundary>
        ))}
        {view !== undefined && isSilent(run, view) && <Working />}
        <RunEnd run={run} sessionId={sessionId} onRetry={onRetry} />
      </div>
    </>
  )
})

/** True if no text streams, no call runs and no card waits. */
const isSilent = (run: Run, { partial, pending }: SessionView) =>
  partial.text === '' &&
  partial.thinking === '' &&
  pending.length === 0 &&
  !run.items.some(
    (item) =>
      item.kind === 'waits' ||
      (item.kind === 'call' && item.call.started !== undefined && item.call.result === undefined),
  )

function Asked({ user, sessionId }: { user: EntryOf<'user'>; sessionId: string }) {
  const { Message } = useSlots()
  return (
    <Message sessionId={sessionId} user={user}>
      {user.attachments !== undefined && (
        <Suspense fallback={null}>
          <AttachedFiles files={user.attachments} sessionId={sessionId} />
        </Suspense>
      )}
      <UserMessage text={user.text} at={user.at} via={user.via} seq={user.seq} />
    </Message>
  )
}

type RowProps = Pick<RunProps, 'sessionId' | 'progress'> & {
  row: Row
  isOpen: boolean
  onAsk: RunProps['onRetry']
} & Partial<ThoughtTime>

const RowView = memo(function RowView({ row, sessionId, progress, isOpen, onAsk, since, tookMs }: RowProps) {
  const { SayActs, Budget } = useSlots()
  switch (row.kind) {
    case 'thinking':
      return <Thought text={row.text} since={since} tookMs={tookMs} />
    case 'text':
      return (
        <article className="step say" aria-label="JARVIS" data-seq={row.seq}>
          <span className="say-acts">
            {row.seq !== undefined && <SayActs sessionId={sessionId} seq={row.seq} text={row.text} />}
          </span>
          <Answer row={row} onAsk={onAsk} />
        </article>
      )
    case 'budget':
      return <Budget entry={row.entry} isOpen={isOpen} />
    case 'recalled':
      return <RecalledRow items={row.items} />
    case 'skill':
      return <SkillRow skill={row.skill} by={row.by} />
    case 'waits':
    case 'child':
      return (
        <Suspense fallback={null}>
          <ChildRow row={row} sessionId={sessionId} progress={progress} />
        </Suspense>
      )
    case 'fold':
      return (
        <Suspense fallback={null}>
          <FoldMarker fold={row.fold} />
        </Suspense>
      )
    case 'reads':
      return <ReadsRow calls={row.calls} sessionId={sessionId} />
    case 'planned':
      return (
        <PlannedRow calls={row.calls}>
          {row.rows.map((one) => (
            <RowView key={one.key} {...{ row: one, sessionId, progress, isOpen, onAsk }} />
          ))}
        </PlannedRow>
      )
    case 'call':
      return <CallRow call={row.call} sessionId={sessionId} progress={progress?.[row.call.toolUseId]} />
  }
})

function Answer({ row, onAsk }: { row: Extract<Row, { kind: 'text' }>; onAsk: RunProps['onRetry'] }) {
  const { text, isStreaming, suggestions } = row
  const suggested = useMemo(
    () => (suggestions === undefined || onAsk === undefined ? undefined : { sentences: suggestions, onAsk }),
    [suggestions, onAsk],
  )
  return (
    <SuggestedContext value={suggested}>
      <Markdown text={text} isStreaming={isStreaming} />
    </SuggestedContext>
  )
}

/** Rows that few answers have. */
const rareRows = () => import('./rare-rows.tsx')
const nothingShown = () => null
const BlockedRow = soon(() => rareRows().then((part) => part.BlockedRow), nothingShown)
const RecalledRow = soon(() => rareRows().then((part) => part.RecalledRow), nothingShown)
const SkillRow = soon(() => rareRows().then((part) => part.SkillRow), nothingShown)
const PlannedRow = soon(() => rareRows().then((part) => part.PlannedRow), nothingShown)
const Thought = soon(() => rareRows().then((part) => part.Thought), nothingShown)

const ChildRow = soon(
  () => import('./child-run.tsx').then((part) => part.ChildRow),
  () => null,
)

const FoldMarker = soon(
  () => import('./fold-marker.tsx').then((part) => part.FoldMarker),
  () => null,
)

const Pictures = soon(
  () => import('./pictures.tsx').then((part) => part.Pictures),
  () => null,
)

const AttachedFiles = soon(
  () => import('./attached.tsx').then((part) => part.AttachedFiles),
  () => null,
)

function CallRow({ call, sessionId, progress }: { call: Call; sessionId: string; progress: string | undefined }) {
  const { Card, Change, Apply, Questions } = useSlots()
  if (call.blocked !== undefined) return <BlockedRow call={call} />
  const skill = skillOf(call)
  if (skill !== undefined) return <SkillRow skill={skill} />
  const view = viewOf(call)
  const applicable = applicableOf(call)
  // If the call has a view, the view draws the picture.
  const images = view === undefined ? call.result?.images : undefined
  return (
    <>
      {call.needed !== undefined ? (
        <>
          <Card call={call} sessionId={sessionId} progress={progress} />
          {view !== undefined && call.started !== undefined && (
            <div className="step">
              <CallView call={call} sessionId={sessionId} />
            </div>
          )}
        </>
      ) : (
        // A call that asks a question does nothing else, so only the question is shown.
        !call.asked?.some(({ question }) => question.server === undefined) && (
          <ToolRow call={call} sessionId={sessionId} progress={progress} />
        )
      )}
      {call.asked !== undefined && <Questions asked={call.asked} sessionId={sessionId} />}
      {call.result && (call.tier === 'red' || call.tier === 'yellow') && (
        <Change id={call.toolUseId} sessionId={sessionId} />
      )}
      {applicable !== undefined && call.result && (
        <Apply {...applicable} runId={call.result.runId} sessionId={sessionId} />
      )}
      {images !== undefined && (
        <div className="step">
          <Suspense fallback={<div className="pictures" />}>
            <Pictures images={images} sessionId={sessionId} by={call.toolName} />
          </Suspense>
        </div>
      )}
    </>
  )
}

const RunEnding = soon(
  () => import('./run-ending.tsx').then((part) => part.RunEnding),
  () => null,
)

/** The end of a run, if it needs an explanation, and the run's cost and time. */
function RunEnd({ run, sessionId, onRetry }: Pick<RunProps, 'run' | 'sessionId' | 'onRetry'>) {
  const { Usage } = useSlots()
  const { end, items } = run
  if (end === undefined) return null
  const isPlain =
    end.type === 'done' && end.stopReason === 'end_turn' && items.some(({ kind }) => kind === 'text' || kind === 'call')
  // A failed answer may have cost something too.
  const hasCost =
    end.type === 'done' || end.isUsagePartial || Object.values(end.usage ?? {}).some((tokens) => tokens > 0)
  return (
    <>
      {!isPlain && (
        <Suspense fallback={null}>
          <RunEnding run={run} onRetry={onRetry} />
        </Suspense>
      )}
      {hasCost && run.ofPlan === undefined && (
        <Usage run={run} sessionId={sessionId} mayRetry={end.type === 'done' && onRetry !== undefined} />
      )}
    </>
  )
}

import { Suspense, useRef, useState } from 'react'
import { clock, duration } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'
import { useNow } from '../../ui/use-now.ts'
import { visibleText } from '../../ui/visible.ts'
import { soon } from './optional.ts'
import { argumentLine, type Call, endOf, notKnown, viewOf } from './runs.ts'
import { useSlots } from './slots.ts'
import { Step } from './step.tsx'

/** One call in a row of 28 px: icon, state, call, summary, duration. It opens to show the exact input and output. */
export function ToolRow({
  call,
  sessionId,
  progress,
  isBare = false,
}: {
  call: Call
  /** Undefined if only the row is drawn. */
  sessionId?: string
  progress: string | undefined
  isBare?: boolean
}) {
  const [isTurned, setTurned] = useState(false)
  const view = sessionId === undefined ? undefined : viewOf(call)
  const isOpen = isTurned !== (view?.begins === true && !isBare)
  const { guestName, Undo } = useSlots()
  const { tier, result, started, malformed } = call
  const isRunning = started !== undefined && result === undefined
  const vmid = call.toolInput.vmid
  const name = typeof vmid === 'number' ? guestName(vmid) : undefined
  const line = [argumentLine(call.toolInput), name].filter(Boolean).join(' ')
  const word = tier === undefined ? '' : tierWord[tier]
  const end = endOf(call)
  const isUnknown = end?.isUnknown === true
  const summary = isUnknown ? `${notKnown} ${end.summary}` : end?.summary
  const grantId = started?.grantId
  // After a failure, show the error without the link to the grant.
  const isLinked = grantId !== undefined && end !== undefined && !end.isError && !isUnknown
  // Ignore undo data in the result of an attached MCP server: such a server must not offer an undo.
  const written = call.toolName.includes('__') ? undefined : writtenOf(result?.data)
  const row = useRef<HTMLButtonElement>(null)
  const done = result?.isRehearsal === true ? 'rehearsed' : 'done'
  const ended = isUnknown ? 'unknown' : end?.isError === true ? 'failed' : done
  const outcome = end !== undefined ? ended : isRunning ? 'running' : 'not started'
  return (
    <Step
      mark={tier === undefined ? <Mark kind="step" size={8} /> : <Tier tier={tier} isRunning={isRunning} />}
      label={`${word}, ${call.toolName}, ${outcome}`}
    >
      <button ref={row} type="button" className="row" aria-expanded={isOpen} onClick={() => setTurned(!isTurned)}>
        <span className="word">{isBare ? '' : word}</span>
        <span className="call cut">
          <bdi>{visibleText(call.toolName)}</bdi>
          {line !== '' && <i>{visibleText(line)}</i>}
        </span>
        <span className="gist cut">
          {(isUnknown || end?.isError === true) && (
            <Mark kind={isUnknown ? 'unknown' : 'bad'} size={10} label={isUnknown ? 'unknown:' : 'failed:'} />
          )}
          <span className="cut">
            <Visible text={malformed ?? (isLinked ? '' : (summary ?? progress ?? ''))} />
          </span>
        </span>
        <span className="took num">
          {result !== undefined ? duration(result.durationMs) : isRunning && <Elapsed since={started.at} />}
        </span>
        <Icon name={isOpen ? 'down' : 'right'} />
      </button>
      {grantId !== undefined && (
        <Suspense fallback={null}>
          <span className={isLinked ? 'granted-by' : 'granted-by below'}>
            <GrantLink id={grantId} />
          </span>
        </Suspense>
      )}
      {written !== undefined && <Undo writeId={written.undoId} path={written.path} />}
      {isOpen && view !== undefined && sessionId !== undefined && <CallView call={call} sessionId={sessionId} />}
      {isOpen && view === undefined && (
        <div className="io">
          {isUnknown && (
            <Suspense fallback={null}>
              <UnknownPart toolUseId={call.toolUseId} observed={end.summary} to={row} />
            </Suspense>
          )}
          <Suspense fallback={null}>
            <InputOutput call={call} />
          </Suspense>
        </div>
      )}
    </Step>
  )
}

/** Returns the id and path with which a write to the memory can be undone; undefined if the data has none. */
function writtenOf(data: unknown): { undoId: string; path: string } | undefined {
  const { undoId, path } = (data ?? {}) as { undoId?: unknown; path?: unknown }
  return typeof undoId === 'string' && typeof path === 'string' ? { undoId, path } : undefined
}

function Elapsed({ since }: { since: number }) {
  return clock(useNow(1_000) - since)
}

/** A call in the view that its tool names. */
export const CallView = (given: { call: Call; sessionId: string }) => (
  <Suspense fallback={null}>
    <CallBlock {...given} />
  </Suspense>
)

const CallBlock = soon(
  () => import('./views/view.tsx').then((part) => part.CallBlock),
  () => <h3>This part could not be fetched.</h3>,
)

const UnknownPart = soon(
  () => import('./rare-rows.tsx').then((part) => part.UnknownPart),
  () => null,
)

const InputOutput = soon(
  () => import('./tool-io.tsx').then((part) => part.InputOutput),
  () => <h3>This part could not be fetched.</h3>,
)

const GrantLink = soon(
  () => import('./grant-link.tsx').then((part) => part.GrantLink),
  () => <span>ran as approved before</span>,
)

/** Consecutive successful reads as one line that opens. */
export function ReadsRow({ calls, sessionId }: { calls: readonly Call[]; sessionId: string }) {
  const [isOpen, setOpen] = useState(false)
  const [first, second] = calls
  const names = [...new Set(calls.map((call) => call.toolName))]
  const more = names.length - 2
  const tookMs = calls.reduce((sum, call) => sum + (call.result?.durationMs ?? 0), 0)
  const gist = calls.at(-1)?.result?.summary ?? ''
  return (
    <>
      <Step mark={<Tier tier="green" />} label={`Read, ${calls.length} reads, done`}>
        <button type="button" className="row" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span className="word">Read</span>
          {isOpen || first === undefined || second === undefined ? (
            <span className="call cut">{calls.length} reads</span>
          ) : (
            <span className="cut text-soft">
              {calls.length} reads: <span className="mono">{visibleText(names.slice(0, 2).join(', '))}</span>
              {more > 0 && ` and ${more} more`}
            </span>
          )}
          <span className="gist cut">
            <span className="cut">
              <Visible text={gist} />
            </span>
          </span>
          <span className="took num">{duration(tookMs)}</span>
          <Icon name={isOpen ? 'down' : 'right'} />
        </button>
      </Step>
      {isOpen &&
        calls.map((call) => (
          <ToolRow key={call.toolUseId} call={call} sessionId={sessionId} progress={undefined} isBare />
        ))}
    </>
  )
}

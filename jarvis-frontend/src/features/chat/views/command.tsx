import type { CommandData, CommandRow } from 'protocol'
import { useState } from 'react'
import { signedIn } from '../../../api/auth.ts'
import { call } from '../../../api/http.ts'
import { clock, duration, plural, timeOfDay } from '../../../lib/format.ts'
import { useValue } from '../../../lib/use-value.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Mark } from '../../../ui/mark.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { Plain } from '../plain.tsx'
import type { Call } from '../runs.ts'
import { useSlots } from '../slots.ts'
import { Exact } from './exact.tsx'
import { folded, linesOf, outputIn } from './texts.ts'
import { isStale, type Live, useCommand } from './use-command.ts'

type Props = { call: Call; sessionId: string; data: CommandData | undefined }

/** A sandbox command: its text, output, outcome and file changes. A running command shows its newest lines and Stop. */
export function CommandView({ call, sessionId, data }: Props) {
  const isOver = data?.status === 'ended' || (call.result !== undefined && data === undefined)
  const live = useCommand(sessionId, isOver ? undefined : { id: data?.command, toolUseId: call.toolUseId })
  if (isOver) return data === undefined ? <Exact call={call} isOpen /> : <Ended call={call} data={data} />
  return <Running call={call} sessionId={sessionId} data={data} live={live} />
}

function Ended({ call, data }: { call: Call; data: CommandData }) {
  const [isWhole, setWhole] = useState(false)
  const lines = linesOf(outputIn(call.result?.result ?? '') ?? '')
  const { head, left, tail } = folded(lines, 3, 8)
  const asked = data.asked ?? []
  return (
    <div className="view-box terminal">
      <Prompt text={data.text} />
      {lines.length > 0 && (
        <pre className={isWhole ? 'whole' : ''} {...(isWhole && { tabIndex: 0 })}>
          {isWhole || left === 0 ? (
            <Plain text={lines.join('\n')} />
          ) : (
            <>
              <Plain text={head.join('\n')} />
              <span className="cut-out">{`\n… ${plural(left, 'line')} …\n`}</span>
              <Plain text={tail.join('\n')} />
            </>
          )}
        </pre>
      )}
      <p className="view-facts">
        <span>
          <b>
            <Visible text={data.words ?? ''} />
          </b>
          {data.endedAt !== undefined && ` after ${duration(Math.max(0, data.endedAt - data.startedAt))}`}
        </span>
        {data.files !== undefined && (
          <span>
            <Visible text={data.files} />
          </span>
        )}
        <Way data={data} />
        <span>
          asked for: <b>{asked.length === 0 ? 'no host' : <Visible text={asked.join(', ')} />}</b>
        </span>
        <span className="end">
          sandbox: <Visible text={data.level} />
        </span>
      </p>
      <Exact call={call}>
        {left > 0 && (
          <button type="button" className="view-more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show the first and last lines' : `Show all ${lines.length} lines`}
          </button>
        )}
      </Exact>
    </div>
  )
}

/** A command that runs, or that ran in the background. Its state comes from the server, because the call itself ended at once. */
function Running({ call, sessionId, data, live }: Props & { live: Live }) {
  const { row, now, problem } = live
  const { Apply } = useSlots()
  const isUnseen = isStale(live, useNow(1_000))
  const text = row?.command ?? data?.text ?? String(call.toolInput.command ?? '')
  const isRunning = row === undefined ? problem === undefined : row.status === 'running'
  const isBackground = row?.isBackground ?? data?.isBackground ?? false
  const level = row?.level ?? data?.level
  return (
    <div className="view-box terminal">
      <Prompt text={text}>
        {isRunning && row !== undefined && !isUnseen && (
          <>
            <Clock since={row.startedAt} now={now} />
            <Stop sessionId={sessionId} row={row} onStopped={live.renew} />
          </>
        )}
        {isRunning && row !== undefined && isUnseen && <small>No connection</small>}
      </Prompt>
      {row?.lastLines.some((line) => line !== '') && (
        <pre>
          <Plain text={linesOf(row.lastLines.join('\n')).join('\n')} />
        </pre>
      )}
      <p className="view-facts">
        {row === undefined ? (
          <span role="status">
            {problem === undefined ? (
              'Looking how it stands…'
            ) : (
              <Visible text={`How it stands is not known: ${problem}`} />
            )}
          </span>
        ) : isRunning && isUnseen ? (
          <span role="status">
            <Mark kind="unknown" size={10} /> ran when last seen, at {timeOfDay(now.server)}; whether it still runs is
            not known
          </span>
        ) : isRunning ? (
          <span>
            <b>{isBackground ? 'runs in the background' : 'runs'}</b>, live, its last lines, ends by itself at{' '}
            {timeOfDay(row.endsBy)}
          </span>
        ) : (
          <span>
            <b>
              <Visible text={row.words ?? 'ended'} />
            </b>
            {row.endedAt !== undefined && ` after ${duration(Math.max(0, row.endedAt - row.startedAt))}`}
            {row.changes !== undefined &&
              `, ${row.changes === 0 ? 'changed no file' : `would change ${plural(row.changes, 'file')}`}`}
          </span>
        )}
        {data !== undefined && <Way data={data} />}
        {level !== undefined && (
          <span className="end">
            sandbox: <Visible text={level} />
          </span>
        )}
      </p>
      {call.result !== undefined && row?.status === 'ended' && row.exitCode === 0 && (row.changes ?? 0) > 0 && (
        <Apply command={row.id} changes={row.changes ?? 0} runId={call.result.runId} sessionId={sessionId} isBare />
      )}
      {call.result !== undefined && <Exact call={call} />}
    </div>
  )
}

/** The full text of the command, which the row above shortens. */
const Prompt = ({ text, children }: { text: string; children?: React.ReactNode }) => (
  <div className="prompt">
    <code>
      <i aria-hidden="true">$ </i>
      <Plain text={text} />
    </code>
    {children}
  </div>
)

/** The folder that the command saw, and the hosts that it could reach. */
const Way = ({ data: { folder, egress } }: { data: CommandData }) => (
  <span>
    on a view of <Visible text={folder} />,{' '}
    {egress.length === 0 ? 'no network' : <Visible text={`may reach ${egress.join(', ')}`} />}
  </span>
)

/** Time since the start by the server's clock. @param now the server's time and this page's time when the server answered */
function Clock({ since, now }: { since: number; now: { server: number; here: number } }) {
  const passed = Math.max(0, useNow(1_000) - now.here)
  return <span className="num">{clock(now.server - since + passed)}</span>
}

function Stop({ sessionId, row, onStopped }: { sessionId: string; row: CommandRow; onStopped: () => void }) {
  const isAllowed = useValue(signedIn)?.mayAsk === true
  const [said, setSaid] = useState<string>()
  if (!isAllowed) return null
  const stop = () => {
    setSaid('stopping…')
    const params = { id: sessionId, commandId: row.id }
    call('POST /api/sessions/:id/commands/:commandId/stop', { params }).then(onStopped, (error: Error) => {
      setSaid(error.message)
      onStopped()
    })
  }
  return (
    <>
      <small role="status">{said}</small>
      <button
        type="button"
        className="button small"
        title="Ends the command with all that it started"
        disabled={said === 'stopping…'}
        onClick={stop}
      >
        <Icon name="stop" /> Stop
      </button>
    </>
  )
}

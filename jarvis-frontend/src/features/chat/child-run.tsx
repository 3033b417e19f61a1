import type { EntryOf } from 'protocol'
import { Fragment, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { dollars, plural, span, thousands } from '../../lib/format.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Mark, type MarkKind } from '../../ui/mark.tsx'
import { Tier, Turning } from '../../ui/tier.tsx'
import { useNow } from '../../ui/use-now.ts'
import './child-run.css'
import { useChat } from './client.ts'
import { Markdown } from './markdown.tsx'
import { BlockedRow } from './rare-rows.tsx'
import { type Call, endOf, type Row, type Run } from './runs.ts'
import { ToolRow } from './tool-row.tsx'

type Line<C> = Extract<EntryOf<'subrun'>, { change: C }>
/** A child run for its row. `begun`: undefined if the begin entry is in an earlier part that is not loaded. */
type ChildRun = { run: Run; begun: Line<'begin'> | undefined; ended: Line<'end'> | undefined }

function childOf(run: Run): ChildRun {
  const lines = run.entries.filter((entry) => entry.type === 'subrun')
  return {
    run,
    begun: lines.find((line) => line.change === 'begin'),
    ended: lines.find((line) => line.change === 'end'),
  }
}

type State = Line<'end'>['state']
const marks: Record<State, [MarkKind, word: string]> = {
  done: ['ok', 'Done'],
  failed: ['bad', 'Failed'],
  stopped: ['stopped', 'Stopped'],
  unknown: ['unknown', 'It is not known what ran'],
}

type Progress = Readonly<Record<string, string>> | undefined

/** Draws a child run, or the line that says for which children the run waits. */
export const ChildRow = ({
  row,
  sessionId,
  progress,
}: {
  row: Extract<Row, { kind: 'child' | 'waits' }>
  sessionId: string
  progress: Progress
}) =>
  row.kind === 'waits' ? (
    <ChildrenWait runs={row.children} />
  ) : (
    <ChildRunRow run={row.child} sessionId={sessionId} progress={progress} />
  )

/** The run of another agent that got work by `delegate`. Folded, the row shows task, outcome, calls, tokens and cost; opened, also the calls. */
function ChildRunRow({ run, sessionId, progress }: { run: Run; sessionId: string; progress: Progress }) {
  const [isOpen, setOpen] = useState(false)
  const child = childOf(run)
  const { begun, ended } = child
  const agent = begun?.agent ?? ended?.agent ?? ''
  const calls = run.items.flatMap((item) => (item.kind === 'call' ? [item.call] : []))
  const words = ended === undefined ? 'works' : marks[ended.state][1]
  return (
    <article className="step child-step" aria-label={`${agent}, asked by ${begun?.for ?? ended?.for ?? ''}, ${words}`}>
      <span className="spine-mark" style={{ top: 12 }}>
        <Joined />
      </span>
      <div className="child">
        <button type="button" className="child-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <b>
            <Visible text={agent} />
          </b>
          <span className="cut child-task">
            <Visible text={`“${begun?.task ?? 'The task is in an earlier part of the conversation.'}”`} />
          </span>
          <span className="num child-facts">{factsOf(child, calls)}</span>
          <Icon name={isOpen ? 'down' : 'right'} />
        </button>
        {isOpen && (
          <div className="child-calls">
            {begun !== undefined && (
              <p className="child-whole">
                {begun.task.split('\n').map((line, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a task does not change
                  <Fragment key={at}>
                    <Visible text={line} />
                    {'\n'}
                  </Fragment>
                ))}
              </p>
            )}
            {run.items.map((item) => (
              <Fragment key={item.key}>
                {item.kind === 'call' && item.call.needed === undefined && (
                  <ChildCall call={item.call} sessionId={sessionId} progress={progress?.[item.call.toolUseId]} />
                )}
                {item.kind === 'text' && (
                  <div className="child-said">
                    <Markdown text={item.text} isStreaming={undefined} />
                  </div>
                )}
              </Fragment>
            ))}
          </div>
        )}
        <div className="child-foot">
          <Standing child={child} calls={calls} words={words} />
          {ended === undefined && <StopChild sessionId={sessionId} runId={run.runId} agent={agent} />}
        </div>
      </div>
    </article>
  )
}

/** A button that stops only this child run. */
function StopChild({ sessionId, runId, agent }: { sessionId: string; runId: string; agent: string }) {
  const chat = useChat()
  const isOperator = useValue(signedIn)?.mayAsk === true
  const [said, setSaid] = useState<string>()
  if (!isOperator) return null
  const stop = async () => {
    setSaid('stopping…')
    const reply = await chat.abort(sessionId, runId)
    if (!reply.ok) setSaid(reply.error.message)
  }
  return (
    <>
      <small role="status">{said}</small>
      <button
        type="button"
        className="button small"
        aria-label={`Stop ${agent} alone`}
        title="Ends this work alone; whoever asked goes on"
        disabled={said === 'stopping…'}
        onClick={() => void stop()}
      >
        Stop
      </button>
    </>
  )
}

/** Says for which children the run waits: `main waits for coder; 1 of 2 is done. Stop ends both.` */
function ChildrenWait({ runs }: { runs: readonly Run[] }) {
  const begins = runs.flatMap(({ entries, end }) =>
    entries.flatMap((entry) => (entry.type === 'subrun' && entry.change === 'begin' ? [{ ...entry, end }] : [])),
  )
  const working = begins.filter(({ end }) => end === undefined)
  const names = [...new Set(working.map(({ agent }) => agent))]
  const ended = begins.length - working.length
  return (
    <article className="step child-wait">
      <span className="spine-mark" style={{ top: 6 }}>
        <Turning size={12} />
      </span>
      <Visible text={`${begins[0]?.for ?? ''} waits for ${names.join(' and ')}`} />
      {begins.length > 1 && `; ${ended} of ${begins.length} ${ended === 1 ? 'is' : 'are'} done`}. Stop ends{' '}
      {begins.length > 1 ? 'all of them' : 'both'}.
    </article>
  )
}

const ChildCall = ({ call, ...given }: { call: Call; sessionId: string; progress: string | undefined }) =>
  call.blocked === undefined ? <ToolRow call={call} {...given} /> : <BlockedRow call={call} />

/** The state of a child run: the reason why it waits, its working time, or its outcome. */
function Standing({
  child: { begun, ended },
  calls,
  words,
}: {
  child: ChildRun
  calls: readonly Call[]
  words: string
}) {
  const waiting = calls.filter(({ needed, resolved }) => needed !== undefined && resolved === undefined)
  if (ended === undefined) {
    const [first] = waiting
    return (
      <p className="child-standing" role="status">
        {first === undefined ? <Mark kind="running" size={10} /> : <Tier tier="red" />}
        <span className="cut">
          {first === undefined ? (
            <>Works{begun !== undefined && <Since at={begun.at} />}</>
          ) : (
            <>
              waits for you, below: <Visible text={first.toolName} />
              {waiting.length > 1 && ` and ${waiting.length - 1} more`}
            </>
          )}
        </span>
      </p>
    )
  }
  return (
    <p className="child-standing">
      <Mark kind={marks[ended.state][0]} size={10} />
      <span className="cut">
        {words} after {span(ended.durationMs)}: <Visible text={ended.summary} />
      </span>
    </p>
  )
}

const Since = ({ at }: { at: number }) => ` for ${span(Math.max(0, useNow(1_000) - at))}`

/** Returns calls, tokens and cost: `14 calls · 31k · $0.04`. While the run works, also the token limit. */
function factsOf({ begun, ended, run }: ChildRun, calls: readonly Call[]): string {
  const count = plural(ended?.calls ?? calls.filter((call) => endOf(call) !== undefined).length, 'call')
  const tokens = ended?.tokens ?? tokensIn(run)
  const most = ended === undefined && begun?.mostTokens !== undefined ? ` of ${thousands(begun.mostTokens)}` : ''
  const cost = ended?.costUsd === undefined ? '' : ` · ${dollars(ended.costUsd)}`
  return `${count} · ${thousands(tokens)}${most} tokens${cost}`
}

const tokensIn = ({ entries }: ChildRun['run']): number =>
  entries.reduce(
    (sum, entry) =>
      entry.type === 'assistant' ? sum + Object.values(entry.usage).reduce((all, tokens) => all + tokens, 0) : sum,
    0,
  )

/** The icon of another agent's run: two joined dots. It has no colour, because colours mean risk or health. */
const Joined = () => (
  <svg width={12} height={12} viewBox="0 0 16 16" aria-hidden="true">
    <g fill="none" stroke="currentColor" strokeWidth="1.8">
      <circle cx="4.5" cy="3.5" r="2.2" />
      <circle cx="4.5" cy="12.5" r="2.2" />
      <circle cx="12" cy="5.5" r="2.2" />
      <path d="M4.5 5.7v4.6M12 7.7c0 3-7.5 1.6-7.5 3" />
    </g>
  </svg>
)

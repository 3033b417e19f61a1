import type { Card } from 'protocol'
import { clock, longSpan, span, timeOfDay } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Turning } from '../../ui/tier.tsx'
import { useNow } from '../../ui/use-now.ts'
import { type Matter, type Phase, waitedFor } from './phase.ts'
import { Who } from './who.tsx'

/** An approved call that is running: the decision, then the progress. */
export function Executing({ matter }: { matter: Matter }) {
  const { resolved, startedAt, progress } = matter
  const now = useNow(1_000)
  const since = startedAt ?? resolved?.at ?? now
  // Show the end of the task and the following wait as two lines.
  const [, ended, doing = progress] = /^(Task \S+ finished: .+?)\. (Waiting .+)$/s.exec(progress ?? '') ?? []
  return (
    <>
      <div className="progress">
        <div className="meter endless">
          <i />
        </div>
        <ol className="steps">
          {resolved !== undefined && (
            <li>
              <Mark kind="ok" />
              <span>
                Approved by <Who id={resolved.by} />
                {signedWords(resolved)}
              </span>
              <time>{timeOfDay(resolved.at)}</time>
            </li>
          )}
          {ended !== undefined && (
            <li>
              <Mark kind="ok" />
              <span>
                <Visible text={ended} />
              </span>
            </li>
          )}
          <li>
            <Turning />
            <span className="text-ink">
              {doing === undefined ? (
                startedAt === undefined ? (
                  'Waits for its turn'
                ) : (
                  'Running'
                )
              ) : (
                <Visible text={doing} />
              )}
            </span>
            <span className="num">{clock(now - since)}</span>
          </li>
        </ol>
      </div>
      <footer>
        <span className="by whole">Stop ends the answer, not this task</span>
      </footer>
    </>
  )
}

type Props = {
  matter: Matter
  phase: Phase
  isElsewhere: boolean
  /** Explains an unknown outcome and offers a check. */
  unknown: React.ReactNode
  askAgain?: ((card: Card, force: boolean) => void) | undefined
}

/** The outcome of a card, in one sentence in the past tense. */
export function Settled({ matter, phase, isElsewhere, unknown, askAgain }: Props) {
  const { card, resolved, result } = matter
  const canForce = /^(stop|restart)_(vm|container)$/.test(card.toolName) && card.toolInput.force !== true
  return (
    <>
      <div className="outcome">
        {phase === 'executing' ? (
          <Turning />
        ) : (
          <Mark
            kind={phase === 'done' ? 'ok' : phase === 'failed' ? 'bad' : phase === 'interrupted' ? 'unknown' : 'none'}
          />
        )}
        <span>
          {phase === 'interrupted' ? unknown : <Outcome matter={matter} phase={phase} isElsewhere={isElsewhere} />}
        </span>
      </div>
      {askAgain !== undefined && (phase === 'expired' || (phase === 'failed' && canForce && result !== undefined)) && (
        <footer>
          {phase === 'expired' ? (
            <button type="button" className="button small" onClick={() => askAgain(card, false)}>
              Ask again
            </button>
          ) : (
            <button type="button" className="button small" onClick={() => askAgain(card, true)}>
              {card.effect?.action === 'stop' ? 'Ask for a forced stop…' : 'Ask for a forced restart…'}
            </button>
          )}
        </footer>
      )}
      {resolved === undefined && result === undefined && <p className="outcome">Nothing more is known.</p>}
    </>
  )
}

/** Returns `, signed` if the decision was signed. */
const signedWords = (resolved: Matter['resolved']) => (resolved?.signed === undefined ? '' : ', signed')

function Outcome({ matter, phase, isElsewhere }: Pick<Props, 'matter' | 'phase' | 'isElsewhere'>) {
  const { resolved, result } = matter
  const by = resolved === undefined ? null : <Who id={resolved.by} />
  // Round to seconds, because a timer fires a little late: 60.01 s must count as one minute.
  const waited = Math.round(waitedFor(matter) / 1_000) * 1_000
  switch (phase) {
    case 'executing':
      return (
        <>
          <b>Approved on another device</b> {resolved !== undefined && <Ago at={resolved.at} />} by {by}.
        </>
      )
    case 'done':
      return (
        <>
          <b>
            <Visible text={(result?.summary ?? '').replace(/\.$/, '')} />.
          </b>{' '}
          {by !== null && (
            <>
              Approved by {by}
              {signedWords(resolved)}.
            </>
          )}
        </>
      )
    case 'failed':
      return <Failure summary={result?.summary ?? ''} />
    case 'denied':
      return (
        <>
          <b>
            Denied by {by}
            {resolved !== undefined && <>, {timeOfDay(resolved.at)}</>}
            {isElsewhere && ', on another device'}.
          </b>{' '}
          {resolved?.note === undefined ? (
            'Nothing was run.'
          ) : (
            <>
              “<Visible text={resolved.note} />”
            </>
          )}
        </>
      )
    case 'expired':
      return (
        <>
          <b>Expired.</b> Nobody decided within {longSpan(waited)}. Nothing was run.
        </>
      )
    default:
      if (resolved?.replacedBy !== undefined) {
        return (
          <>
            <b>Changed while it waited.</b> <Visible text={resolved.note ?? ''} /> It could not be approved any more.
          </>
        )
      }
      return (
        <>
          <b>Cancelled{resolved !== undefined && <> at {timeOfDay(resolved.at)}</>}.</b>{' '}
          {resolved?.note === undefined ? (
            <>By {by}. Nothing was run.</>
          ) : (
            <>
              <Visible text={resolved.note} /> Nothing was run.
            </>
          )}
        </>
      )
  }
}

/** The tool's error text. Its first clause, or `Failed`, is emphasized. */
function Failure({ summary }: { summary: string }) {
  const [, lead = 'Failed', rest = summary] = /^(Task failed|Refused): (.*)$/s.exec(summary) ?? []
  return (
    <>
      <b>{lead}:</b> <Visible text={rest} />
    </>
  )
}

function Ago({ at }: { at: number }) {
  return <>{span(useNow(1_000) - at)} ago</>
}

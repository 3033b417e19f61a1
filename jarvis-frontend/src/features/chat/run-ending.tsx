import { exactTime, plural, timeOfDay } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import type { Run } from './runs.ts'
import { Step } from './step.tsx'

/** Errors that another address, key or name of the model may resolve. */
const ofSettings = ['model_auth', 'model_bad_request', 'model_unfit', 'model_unreachable']

/** Shows the end of a run that failed, was stopped, was cut off, or gave no answer. */
export function RunEnding({ run, onRetry }: { run: Run; onRetry: ((text: string) => void) | undefined }) {
  const { end, user } = run
  if (end === undefined) return null
  const retry = onRetry === undefined || user === undefined ? undefined : () => onRetry(user.text)
  if (end.type === 'error') {
    return (
      <Step mark={<Mark kind="bad" size={12} />} label="Error" top={14}>
        <div className="strip failure" role="note">
          <span>
            <b>
              <Visible text={end.error} />
            </b>{' '}
            <span className="text-soft">Your message is kept.</span>
            <details>
              <summary>Details</summary>
              <code>{end.code}</code>, {exactTime(end.at)}
            </details>
          </span>
          {ofSettings.includes(end.code) && (
            <Link className="button small" to="/settings/models">
              Open Settings, Models
            </Link>
          )}
          {retry !== undefined && (
            <button type="button" className="button small" onClick={retry}>
              Try again
            </button>
          )}
        </div>
      </Step>
    )
  }
  return <Stopped run={run} />
}

const stopWords = {
  end_turn: 'The model answered with nothing.',
  max_tokens: 'Cut here: the answer reached its length limit. Ask it to go on.',
  refusal: 'The model declined to answer.',
  loop_limit: 'Stopped here: the limit of model calls in one run is reached. Ask it to go on.',
  stuck: 'Stopped here: the same call had the same outcome each time.',
  unanswered: 'Stopped here without an answer.',
  budget: 'Stopped here at a limit on what models may use. Settings, Budgets shows it.',
} as const

function Stopped({ run }: { run: Run }) {
  const { end } = run
  if (end?.type !== 'done') return null
  const calls = run.items.flatMap((item) => (item.kind === 'call' ? [item.call] : []))
  const cancelled = calls.filter((call) => call.resolved?.decision === 'cancelled')
  const by = cancelled[0]?.resolved?.by
  const left = calls.filter((call) => call.started !== undefined && /goes on/.test(call.result?.summary ?? ''))
  const words =
    end.stopReason === 'aborted'
      ? [
          `Stopped${by === undefined ? '' : ` by ${by}`} at ${timeOfDay(end.at)}.`,
          cancelled.length > 0
            ? `${plural(cancelled.length, 'confirmation')} cancelled, nothing more was run.`
            : 'Nothing more was run.',
          ...left.map((call) => `${call.toolName} had begun and goes on.`),
        ].join(' ')
      : stopWords[end.stopReason]
  return (
    <Step mark={<Mark kind="step" size={8} />} label="Stopped">
      <p className="ending">{words}</p>
    </Step>
  )
}

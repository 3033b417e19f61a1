import { signedIn } from '../api/auth.ts'
import { checks } from '../api/executions.ts'
import { notKnown } from '../features/chat/runs.ts'
import { timeOfDay } from '../lib/format.ts'
import { useValue } from '../lib/use-value.ts'
import { Visible } from '../ui/boxed.tsx'
import { live } from './live.ts'
import './unknown-outcome.css'

/** A call with an unknown outcome: what was observed, and a button that checks again. Checking does not run the call. */
export function UnknownOutcome({ toolUseId, observed }: { toolUseId: string; observed: string }) {
  const check = useValue(checks.value).get(toolUseId)
  const isOperator = useValue(signedIn)?.role === 'operator'
  const isLive = useValue(live.link.value).status === 'live'
  const rests = check?.isLooking === true || !isLive
  return (
    <div className="unknown-outcome">
      <p>
        <b>{notKnown}</b> <Visible text={observed} />
      </p>
      <div role="status">
        {check?.seen !== undefined && (
          <p>
            Looked again at <span className="num">{timeOfDay(check.seen.at)}</span>:{' '}
            {check.seen.outcome !== 'unknown' && <b>{check.seen.outcome}. </b>}
            <Visible text={check.seen.text} />
          </p>
        )}
        {check?.problem !== undefined && (
          <p>
            <Visible text={check.problem} />
          </p>
        )}
        {check?.isLooking === true && <p>Asking the cluster what became of it. Nothing is run.</p>}
      </div>
      <div className="acts">
        {isOperator && (
          <button
            type="button"
            className="button small"
            aria-disabled={rests}
            onClick={() => {
              if (!rests) void checks.again(toolUseId)
            }}
          >
            {check?.isLooking === true ? 'Checking…' : 'Check again'}
          </button>
        )}
        <small>
          It is never run again by itself.
          {!isOperator
            ? ' An operator can check again.'
            : !isLive && ' No connection: it can be checked when it is back.'}
        </small>
      </div>
    </div>
  )
}

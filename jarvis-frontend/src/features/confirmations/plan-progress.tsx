import type { Card, PlanRun, PlanStep } from 'protocol'
import { ApiError } from 'protocol/client'
import { isFinal } from 'protocol/facts'
import { useState } from 'react'
import { readPlan, stopPlan } from '../../api/runbooks.ts'
import { useLoad } from '../../api/use-load.ts'
import { clock, duration, plural } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark, type MarkKind } from '../../ui/mark.tsx'
import { Tier, Turning } from '../../ui/tier.tsx'
import { useNow } from '../../ui/use-now.ts'
import { shortHash } from './plan.tsx'
import './plan.css'
import { Who } from './who.tsx'

type Plan = NonNullable<Card['plan']>
type State = PlanStep['state']

const marks: Record<State, MarkKind | 'turns' | 'asks'> = {
  waits: 'none',
  not_begun: 'none',
  running: 'turns',
  checking: 'turns',
  asks: 'asks',
  done: 'ok',
  skipped: 'none',
  failed: 'bad',
  surprise: 'bad',
  unknown: 'unknown',
}
const words: Record<State, string> = {
  waits: 'waits',
  not_begun: 'not run',
  running: 'runs',
  checking: 'is checked',
  asks: 'asks',
  done: 'done',
  skipped: 'skipped',
  failed: 'failed',
  surprise: 'not as expected',
  unknown: 'unknown',
}
const isOver = ({ state }: PlanRun) => state === 'done' || state === 'stopped' || state === 'unknown'

/** The progress that a plan's card shows after the approval; undefined until the plan is known. */
export function usePlanRun(plan: Plan | undefined, isBegun: boolean) {
  const { id } = plan ?? {}
  const read =
    id === undefined || !isBegun
      ? undefined
      : () =>
          readPlan(id).catch((error: unknown) => {
            // The server stores the plan's run a moment after the decision.
            if (error instanceof ApiError && error.code === 'not_found') return undefined
            throw error
          })
  return useLoad<PlanRun | undefined>(`plan ${id}`, read, ['connect', 'runbooks', 'sessions', 'confirmations'])
}

/** Returns the heading of a plan's progress: `Running plan 8c1e: step 3 of 5`. */
export function planHeading(run: PlanRun): string {
  const { hash, steps, state, startedAt, endedAt } = run
  const name = `plan ${shortHash(hash)}`
  const at = steps.find((step) => !['done', 'skipped', 'waits', 'not_begun'].includes(step.state))
  if (state === 'done' && run.undoes !== undefined) {
    const back = steps.filter((step) => step.state === 'done').length
    return `Undid ${back} of ${plural(run.undoes.steps, 'step')} of plan ${shortHash(run.undoes.hash)}`
  }
  const place = at === undefined ? '' : ` at step ${at.number} of ${steps.length}`
  switch (state) {
    case 'running':
      return `Running ${name}${place === '' ? '' : `: step ${at?.number} of ${steps.length}`}`
    case 'asks':
      return `Plan ${shortHash(hash)} holds${place}`
    case 'done': {
      const done = steps.filter((step) => step.state === 'done').length
      const took = endedAt === undefined ? '' : ` in ${duration(endedAt - startedAt)}`
      return `Ran ${done} of ${plural(steps.length, 'step')}${took}`
    }
    case 'stopped':
    case 'unknown':
      return `Plan ${shortHash(hash)} stopped${place}`
  }
}

type Props = {
  run: PlanRun
  /** True if this person may stop the plan now. */
  mayStop: boolean
  /** Explains an unknown outcome of a step and offers a check. */
  unknownOf: (toolUseId: string, observed: string) => React.ReactNode
  /** The card of a step that needs its own decision. It is shown inside the plan's card. */
  stepCard?: ((toolUseId: string) => React.ReactNode) | undefined
  /** A link that compares the present state with a change that a step could not take back. */
  compareOf?: ((changeId: string) => React.ReactNode) | undefined
  /** Asks for the plan that undoes this one. */
  onUndo?: ((id: string) => void) | undefined
}

/** Each step of a plan with the state that was observed after it. Times are never estimated. */
export function PlanProgress({ run, mayStop, unknownOf, stepCard, compareOf, onUndo }: Props) {
  const [refused, setRefused] = useState<string>()
  const [isStopping, setStopping] = useState(false)
  const running = run.steps.find(({ state }) => state === 'running' || state === 'checking' || state === 'asks')
  const stop = async () => {
    setStopping(true)
    setRefused(undefined)
    try {
      await stopPlan(run.id)
    } catch (error) {
      setStopping(false)
      if (error instanceof ApiError) setRefused(error.message)
    }
  }
  const lost = run.steps.find(({ state }) => state === 'unknown')
  const fixed = run.steps.filter(({ state, undo }) => state === 'done' && isFinal(undo)).length
  return (
    <>
      <ol className="plan-run" aria-label="Steps">
        {run.steps.map((step) => (
          <RunStep key={step.number} step={step} stepCard={stepCard} compareOf={compareOf} />
        ))}
      </ol>
      {run.why !== undefined && (
        <p className="plan-why">
          <Visible text={run.why} />
        </p>
      )}
      {lost?.toolUseId !== undefined && <div className="plan-why">{unknownOf(lost.toolUseId, lost.outcome ?? '')}</div>}
      {refused !== undefined && (
        <p className="refused" role="alert">
          <Mark kind="bad" />
          <Visible text={refused} />
        </p>
      )}
      <footer>
        {!isOver(run) && mayStop && (
          <button type="button" className="button small" aria-disabled={isStopping} onClick={() => void stop()}>
            <Icon name="stop" />
            {isStopping
              ? 'Stops after this step'
              : running?.state === 'asks'
                ? 'End the plan'
                : `Stop after ${running === undefined ? 'this step' : `step ${running.number}`}`}
          </button>
        )}
        {isOver(run) && mayStop && onUndo !== undefined && run.undoes === undefined && goesBack(run) && (
          <button type="button" className="button small" onClick={() => onUndo(run.id)}>
            <Icon name="again" />
            Undo…
          </button>
        )}
        {isOver(run) && (
          <Link className="text-link" to={`/journal?sessionId=${encodeURIComponent(run.sessionId)}`}>
            Journal
          </Link>
        )}
        <span className="by whole">
          {run.state === 'done' && fixed > 0 && `${plural(fixed, 'step')} cannot be undone. `}
          Approved by <Who id={run.by} />
        </span>
      </footer>
    </>
  )
}

/** True if at least one step that ran has an undo call. */
const goesBack = ({ steps }: PlanRun) =>
  steps.some(
    ({ state, undo }) => (state === 'done' || state === 'surprise' || state === 'unknown') && undo?.kind === 'call',
  )

const isStuck = (state: State) => state === 'unknown' || state === 'failed' || state === 'surprise'

function RunStep({ step, stepCard, compareOf }: { step: PlanStep } & Pick<Props, 'stepCard' | 'compareOf'>) {
  const { number, tier, title, sentence, state, outcome, startedAt, endedAt, toolUseId } = step
  const mark = marks[state]
  const isOpen = state === 'running' || state === 'checking'
  const stuck = isStuck(state) && step.toolName === 'undo' ? step.toolInput.change : undefined
  const isLoud = state === 'asks' || isStuck(state)
  return (
    <li className={state === 'waits' || state === 'not_begun' || state === 'skipped' ? 'quiet' : ''}>
      <span className="num">{number}</span>
      <Tier tier={tier} size={12} />
      <span className="run-mark">
        {mark === 'turns' ? (
          <Turning />
        ) : mark === 'asks' ? (
          <Tier tier="red" size={11} />
        ) : (
          <Mark kind={mark} size={11} />
        )}
      </span>
      <span>
        <span className={isLoud ? 'strong' : ''}>
          <Visible text={(sentence === '' ? title : sentence).replace(/\.$/, '')} />
        </span>
        {outcome !== undefined && (
          <small>
            <Visible text={outcome} /> {typeof stuck === 'string' && compareOf?.(stuck)}
          </small>
        )}
        {state === 'asks' && toolUseId !== undefined && (
          <small>
            It asks by itself: the approval of the plan does not count for it.{' '}
            {stepCard === undefined && (
              <Link className="text-link" to={`/waiting?card=${encodeURIComponent(toolUseId)}`}>
                Look at its card
              </Link>
            )}
          </small>
        )}
      </span>
      <span className="num text-dim">
        {isOpen && startedAt !== undefined ? (
          <Since at={startedAt} />
        ) : startedAt !== undefined && endedAt !== undefined ? (
          duration(endedAt - startedAt)
        ) : (
          words[state]
        )}
        <span className="vh"> {words[state]}</span>
      </span>
      {state === 'asks' && toolUseId !== undefined && stepCard !== undefined && (
        <div className="step-card">{stepCard(toolUseId)}</div>
      )}
    </li>
  )
}

const Since = ({ at }: { at: number }) => clock(useNow(1_000) - at)

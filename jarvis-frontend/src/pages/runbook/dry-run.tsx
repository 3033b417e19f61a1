import type { PlanStep, Runbook, RunbookCheck } from 'protocol'
import { isFinal } from 'protocol/facts'
import { useKnownNames } from '../../app/known-names.ts'
import { clockOf } from '../../features/alerts/words.ts'
import { givenOf, inputOf, inputsOf } from '../../features/tools/arguments.ts'
import { CallFields } from '../../features/tools/fields.tsx'
import { argumentText } from '../../lib/argument-text.ts'
import { duration } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'

export type Inputs = Readonly<Record<string, unknown>>

type Props = {
  name: string
  runbook: Runbook | undefined
  plan: RunbookCheck['plan']
  values: Inputs
  onValues: (values: Inputs) => void
  /** Undefined: no dry run is possible now, and `rest` gives the reason. */
  onRun: (() => void) | undefined
  rest: string | undefined
  isRunning: boolean
}

/** A dry run of the runbook: real reads, resolved values, the calls that would need a confirmation, and the facts that the card would bind. */
export function DryRun({ name, runbook, plan, values, onValues, onRun, rest, isRunning }: Props) {
  const list = inputsOf(runbook?.inputs ?? [])
  return (
    <>
      <PanelHead title="Dry run">real reads, nothing is changed</PanelHead>
      <form
        className="dry-inputs"
        aria-label="Dry run"
        onSubmit={(event) => {
          event.preventDefault()
          onRun?.()
        }}
      >
        <CallFields
          list={list}
          given={givenOf(list, values)}
          names={useKnownNames()}
          onChange={(given) => onValues(inputOf(list, given))}
        />
        <button type="submit" className="button small" aria-disabled={onRun === undefined || isRunning}>
          {isRunning ? 'Reading' : plan === undefined ? 'Run dry' : 'Run dry again'}
        </button>
        {rest !== undefined ? (
          <small>{rest}</small>
        ) : (
          plan !== undefined && (
            <small className="num">
              {clockOf(plan.at)}, {duration(plan.durationMs)}
            </small>
          )
        )}
      </form>
      {plan?.problem !== undefined && (
        <p className="strip page-problem" role="alert">
          <Mark kind="bad" size={12} />
          <span>
            {plan.problem.step > 0 && `Step ${plan.problem.step}: `}
            <Visible text={plan.problem.message} />
            {plan.problem.line !== undefined && ` Line ${plan.problem.line}.`}
          </span>
        </p>
      )}
      <ol className="dry-steps" aria-label="Steps">
        {plan?.steps.map((step) => (
          <DryStep key={step.number} step={step} />
        ))}
      </ol>
      {plan !== undefined && plan.binds.length > 0 && (
        <>
          <PanelHead title="What its card would bind" />
          <dl className="binds">
            {plan.binds.map(({ what, value }) => (
              <div key={what}>
                <dt>{what}</dt>
                <dd>
                  <Visible text={value} />
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {runbook !== undefined && (
        <>
          <PanelHead title="Offered" />
          <p className="job-none">
            {runbook.alerts.length > 0 && (
              <>
                by the alerts of <Visible text={runbook.alerts.join(', ')} />, and{' '}
              </>
            )}
            by name in a chat:{' '}
            <code>
              /run {name}
              {Object.entries(values).map(([key, value]) => ` ${key}=${value}`)}
            </code>
          </p>
        </>
      )}
    </>
  )
}

function DryStep({ step }: { step: PlanStep }) {
  const { number, tier, title, sentence, toolName, toolInput, when, read, now, then, affects, undo, check } = step
  const isSkipped = step.state === 'skipped'
  return (
    <li>
      <span className="num text-dim">{number}</span>
      <Tier tier={tier} size={13} />
      <div>
        <b>
          <Visible text={sentence === '' ? title : sentence} />
        </b>
        <p className="mono text-soft">
          <Visible text={`${toolName} ${argumentText(toolInput)}`} />
        </p>
        {when !== undefined && (
          <p>
            when: <Visible text={when} />
          </p>
        )}
        {read !== undefined && (
          <p>
            read: <Visible text={read} />
          </p>
        )}
        {then !== undefined && (
          <p>
            {now !== undefined && (
              <>
                <Visible text={now} /> →{' '}
              </>
            )}
            <Visible text={then} />
          </p>
        )}
        {affects !== undefined && (
          <p className="text-soft">
            <Visible text={affects} />
          </p>
        )}
        {undo !== undefined && (
          <p className={isFinal(undo) ? '' : 'text-soft'}>
            {isFinal(undo) ? 'cannot be undone: ' : 'undo: '}
            <Visible text={undo.sentence} />
          </p>
        )}
        {check !== undefined && (
          <p className="text-soft">
            check: <Visible text={check} />
          </p>
        )}
        {step.outcome !== undefined && (
          <p>
            <Visible text={step.outcome} />
          </p>
        )}
      </div>
      <small>
        <span className="vh">{tierWord[tier]}: </span>
        {isSkipped ? 'skipped' : tier === 'red' ? 'would ask' : tier === 'yellow' ? 'would run' : ''}
      </small>
    </li>
  )
}

import type { ToolInfo, Verdict } from 'protocol'
import { useId, useState } from 'react'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'
import { type Argument, argumentsOf, commandOf, type Given, inputOf } from './arguments.ts'
import { useVerdict } from './use-verdict.ts'

const wouldBe: Record<Verdict['tier'], string> = {
  green: 'it would run at once.',
  yellow: 'it would run, and be journalled.',
  red: 'it would wait for you.',
  black: 'it would be refused.',
}
const actOf: Record<Verdict['tier'], string> = {
  green: 'Run it in a new chat',
  yellow: 'Run it in a new chat',
  red: 'Ask for it in a new chat',
  black: 'Refused',
}

type Props = {
  tool: ToolInfo
  /** Sends the call as a chat command through the gate; undefined if this person may not, or there is no connection. */
  onRun: ((command: string) => void) | undefined
  rest: React.ReactNode
}

/** A form for a tool's arguments that shows the gate's verdict while the person types. */
export function TryIt({ tool, onRun, rest }: Props) {
  const list = argumentsOf(tool)
  const [given, setGiven] = useState<Given>({})
  const input = inputOf(list, given)
  const isComplete = list.every(({ name, isRequired }) => !isRequired || input[name] !== undefined)
  const { verdict, problem } = useVerdict(tool.name, input, isComplete)
  // Report wrong arguments before any rule.
  const isWrong = verdict?.rule === 'invalid_arguments'
  const command = commandOf(tool.name, input)
  const canRun =
    onRun !== undefined && verdict !== undefined && !isWrong && verdict.tier !== 'black' && command !== undefined
  return (
    <form
      className="try stack"
      aria-label="What would happen?"
      onSubmit={(event) => {
        event.preventDefault()
        if (canRun) onRun(command)
      }}
    >
      {list.map((argument) => (
        <Field
          key={argument.name}
          argument={argument}
          value={given[argument.name]}
          onChange={(value) => setGiven({ ...given, [argument.name]: value })}
        />
      ))}
      <div className="verdict" role="status">
        {isWrong ? (
          <>
            <Mark kind="none" size={13} />
            <span>
              <b>It would not run like this.</b>
              <span className="text-soft">
                <Visible text={verdict?.reason ?? ''} />
              </span>
            </span>
          </>
        ) : verdict !== undefined ? (
          <>
            <Tier tier={verdict.tier} size={15} />
            <span>
              <b>
                {tierWord[verdict.tier]}: {wouldBe[verdict.tier]}
              </b>
              <span className="text-soft">
                <Visible text={verdict.reason} /> Nothing is run from here.
              </span>
              <small>
                rule <code>{verdict.rule}</code>
              </small>
            </span>
          </>
        ) : (
          <span className="text-soft">
            {problem ?? (isComplete ? 'Asking the gate' : 'Fill in what must be given.')}
          </span>
        )}
      </div>
      {rest}
      {onRun !== undefined && (
        <button
          type="submit"
          className={`button${verdict?.tier === 'red' && !isWrong ? ' risk' : ''}`}
          aria-disabled={!canRun}
        >
          {verdict !== undefined && !isWrong && <Tier tier={verdict.tier} size={11} />}
          {verdict === undefined ? 'Run it in a new chat' : actOf[verdict.tier]}
        </button>
      )}
      {command === undefined && <small className="text-dim">One line cannot say this: ask for it in a chat.</small>}
    </form>
  )
}

function Field({
  argument: { name, kind, choices, isRequired, limits, description },
  value,
  onChange,
}: {
  argument: Argument
  value: string | boolean | undefined
  onChange: (value: string | boolean) => void
}) {
  const id = useId()
  const label = (
    <span>
      <code>{name}</code> <span className="text-dim">{isRequired ? limits : `${limits}, may be left out`}</span>
    </span>
  )
  const hint = description !== '' && <small>{description}</small>
  if (kind === 'flag') {
    return (
      <label className="try-flag">
        <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
        <span>
          {label}
          {hint}
        </span>
      </label>
    )
  }
  const common = {
    id,
    className: 'field mono',
    value: typeof value === 'string' ? value : '',
    'aria-required': isRequired,
    spellCheck: false,
    autoComplete: 'off',
  }
  return (
    <div className="try-field">
      <label htmlFor={id}>{label}</label>
      {kind === 'choice' ? (
        <select {...common} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">–</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          inputMode={kind === 'number' ? 'numeric' : 'text'}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
      {hint}
    </div>
  )
}

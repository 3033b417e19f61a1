import type { ToolInfo, Verdict } from 'protocol'
import { useState } from 'react'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'
import { argumentsOf, commandOf, type Given, inputOf, isWhole, type KnownNames, problemIn } from './arguments.ts'
import { CallFields } from './fields.tsx'
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
  names: KnownNames
}

/** A form for a tool's arguments that shows the gate's verdict while the person types. */
export function TryIt({ tool, onRun, rest, names }: Props) {
  const list = argumentsOf(tool)
  const [given, setGiven] = useState<Given>({})
  const input = inputOf(list, given)
  const isComplete = isWhole(list, input)
  const { verdict, problem } = useVerdict(tool.name, input, isComplete)
  // Report wrong arguments before any rule.
  const isWrong = verdict?.rule === 'invalid_arguments'
  const wrong = isWrong
    ? problemIn(
        verdict.reason,
        list.map(({ name }) => name),
      )
    : undefined
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
      <CallFields list={list} given={given} names={names} problem={wrong} onChange={setGiven} />
      <div className="verdict" role="status">
        {wrong !== undefined ? (
          <>
            <Mark kind="none" size={13} />
            <span>
              <b>It would not run like this.</b>
              {wrong.key === undefined && (
                <span className="text-soft">
                  <Visible text={wrong.text} />
                </span>
              )}
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

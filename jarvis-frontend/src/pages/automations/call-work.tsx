import type { Job } from 'protocol'
import { useId, useState } from 'react'
import { listRunbooks } from '../../api/runbooks.ts'
import { useTools } from '../../api/tools.ts'
import { useLoad } from '../../api/use-load.ts'
import { useKnownNames } from '../../app/known-names.ts'
import {
  type Argument,
  argumentsOf,
  givenOf,
  inputOf,
  inputsOf,
  isWhole,
  problemIn,
} from '../../features/tools/arguments.ts'
import { CallFields } from '../../features/tools/fields.tsx'
import { useVerdict } from '../../features/tools/use-verdict.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Tier, tierWord } from '../../ui/tier.tsx'

type WorkOf<K extends Job['work']['kind']> = Extract<Job['work'], { kind: K }>
type Values = Readonly<Record<string, unknown>>

const wouldBe = {
  green: 'runs',
  yellow: 'runs, and is journalled',
  red: 'waits for you each time',
  black: 'is refused',
}

/** The fields of a job that calls one tool: the tool from a list, the form of its arguments, and the gate's verdict. */
export function ToolWork({ work }: { work: WorkOf<'call'> | undefined }) {
  const id = useId()
  const tools = useTools()
  const [name, setName] = useState(work?.toolName ?? '')
  const [values, setValues] = useState<Values>(work?.toolInput ?? {})
  const tool = tools?.find((known) => known.name === name)
  const list = tool && argumentsOf(tool)
  const isTyping = tool === undefined && (tools ?? []).some((known) => known.name.startsWith(name))
  const { verdict } = useVerdict(name, values, name !== '' && !isTyping && isWhole(list ?? [], values))
  const isWrong = verdict?.rule === 'invalid_arguments'
  const problem = isWrong ? problemIn(verdict.reason, list?.map((argument) => argument.name) ?? []) : undefined
  return (
    <>
      <label>
        Tool
        <input
          className="field mono"
          name="tool"
          required
          list={`${id}-tools`}
          value={name}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={verdict?.rule === 'unknown_tool'}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setValues({})
          }}
        />
      </label>
      <datalist id={`${id}-tools`}>
        {tools?.map((known) => (
          <option key={known.name} value={known.name}>
            {known.description.split(/[.:;](?:\s|$)/)[0]}
          </option>
        ))}
      </datalist>
      <Inputs
        key={`${name} ${list === undefined}`}
        list={list}
        values={values}
        problem={problem}
        onChange={setValues}
      />
      <p role="status">
        {verdict !== undefined &&
          (isWrong ? (
            problem?.key === undefined && <Visible text={verdict.reason} />
          ) : (
            <>
              <Tier tier={verdict.tier} size={12} />{' '}
              <b>
                {tierWord[verdict.tier]}: it {wouldBe[verdict.tier]}.
              </b>{' '}
              <Visible text={verdict.reason} />
            </>
          ))}
      </p>
    </>
  )
}

/** The fields of a job that runs a runbook: the runbook from a list, and the form of its inputs. */
export function RunbookWork({ work }: { work: WorkOf<'runbook'> | undefined }) {
  const runbooks = useLoad('runbooks', listRunbooks, ['runbooks']).data?.items
  const [chosen, setChosen] = useState(work?.name)
  const [values, setValues] = useState<Values>(work?.inputs ?? {})
  const runbook = runbooks?.find(({ name }) => name === (chosen ?? runbooks[0]?.name))
  return (
    <>
      <label>
        Runbook
        <select
          className="field"
          name="runbook"
          value={runbook?.name ?? ''}
          onChange={(event) => {
            setChosen(event.currentTarget.value)
            setValues({})
          }}
        >
          {runbooks?.map((one) => (
            <option key={one.name} value={one.name}>
              {one.title}
            </option>
          ))}
        </select>
      </label>
      <Inputs key={runbook?.name} list={runbook && inputsOf(runbook.inputs)} values={values} onChange={setValues} />
    </>
  )
}

type InputsProps = {
  /** Undefined: the arguments are not known, so they are written as JSON. */
  list: readonly Argument[] | undefined
  values: Values
  problem?: { key?: string; text: string } | undefined
  onChange: (values: Values) => void
}

/** The form of a call's arguments. Arguments that the form would lose are written as JSON. */
function Inputs({ list, values, problem, onChange }: InputsProps) {
  const names = useKnownNames()
  const [given, setGiven] = useState(() => givenOf(list ?? [], values))
  const [isShown] = useState(() => list !== undefined && Object.keys(values).every((name) => name in given))
  if (list === undefined || !isShown)
    return (
      <label>
        Arguments, as JSON
        <textarea
          className="field mono"
          name="inputs"
          rows={3}
          defaultValue={JSON.stringify(values)}
          spellCheck={false}
          onChange={(event) => {
            try {
              onChange(JSON.parse(event.currentTarget.value))
            } catch {
              // Half typed. Saving says that the text is not a JSON object.
            }
          }}
        />
      </label>
    )
  return (
    <>
      <input type="hidden" name="inputs" value={JSON.stringify(inputOf(list, given))} />
      <CallFields
        list={list}
        given={given}
        names={names}
        problem={problem}
        onChange={(next) => {
          setGiven(next)
          onChange(inputOf(list, next))
        }}
      />
    </>
  )
}

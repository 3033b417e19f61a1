import type { ToolInfo } from 'protocol'
import { useId, useState } from 'react'
import { type Argument, argumentsOf, type Call, givenOf, inputOf, type KnownNames, objectIn } from './arguments.ts'
import { CallFields } from './fields.tsx'

type Problem = { key?: string; text: string } | undefined
type Props = {
  tools: readonly ToolInfo[] | undefined
  /** The names that are offered. Default: all tools. */
  offered?: readonly string[]
  names: KnownNames
  /** The call at first. Default: none. */
  first?: Call
  problem?: Problem
  isWrongName?: boolean
  onChange?: (call: Call) => void
}

/** Fields for a call: the tool from a list, and the form of its arguments. The form around them gets `tool`, and `inputs` as JSON. */
export function CallChoice({ tools, offered, names, first: call, problem, isWrongName = false, onChange }: Props) {
  const id = useId()
  const [first] = useState(call)
  const [name, setName] = useState(first?.name ?? '')
  const tool = tools?.find((known) => known.name === name)
  const inputsOf = (tool: string) => (tool === first?.name ? first.input : {})
  const inputs = inputsOf(name)
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
          aria-invalid={isWrongName}
          onChange={({ currentTarget: { value } }) => {
            setName(value)
            onChange?.({ name: value, input: inputsOf(value) })
          }}
        />
      </label>
      <datalist id={`${id}-tools`}>
        {tools
          ?.filter((known) => offered === undefined || offered.includes(known.name))
          .map((known) => (
            <option key={known.name} value={known.name}>
              {known.description.split(/[.:;](?:\s|$)/)[0]}
            </option>
          ))}
      </datalist>
      <CallInputs
        key={`${name} ${tool === undefined}`}
        list={tool && argumentsOf(tool)}
        first={inputs}
        names={names}
        problem={problem}
        onChange={(input) => onChange?.({ name, input })}
      />
    </>
  )
}

type InputsProps = Pick<Props, 'names' | 'problem'> & {
  /** Undefined: the arguments are not known, so they are written as JSON. */
  list: readonly Argument[] | undefined
  first: Call['input']
  onChange?: (input: Call['input']) => void
}

/** The form of a call's arguments, which the form around it gets as JSON in `inputs`. Arguments that the form would lose are written as JSON. */
export function CallInputs({ list, first, names, problem, onChange }: InputsProps) {
  const [given, setGiven] = useState(() => givenOf(list ?? [], first))
  const [isShown] = useState(() => list !== undefined && Object.keys(first).every((name) => name in given))
  if (list === undefined || !isShown)
    return (
      <label>
        Arguments, as JSON
        <textarea
          className="field mono"
          name="inputs"
          rows={3}
          defaultValue={JSON.stringify(first)}
          spellCheck={false}
          onChange={(event) => {
            const input = objectIn(event.currentTarget.value)
            if (input !== undefined) onChange?.(input)
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
          onChange?.(inputOf(list, next))
        }}
      />
    </>
  )
}

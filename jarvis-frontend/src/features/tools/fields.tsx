import { useId } from 'react'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import type { Argument, Given, KnownNames } from './arguments.ts'
import './fields.css'

type Props = {
  list: readonly Argument[]
  given: Given
  names: KnownNames
  /** The error that the gate found, shown at the field that it names. */
  problem?: { key?: string; text: string } | undefined
  onChange: (given: Given) => void
}

/** The form of a call: a field for each argument, with its limits, its help, the cluster's names and the error at the field. */
export const CallFields = ({ list, given, names, problem, onChange }: Props) =>
  list.map((argument) => (
    <Field
      key={argument.name}
      argument={argument}
      value={given[argument.name] ?? argument.default}
      names={argument.known && names[argument.known]}
      problem={problem?.key === argument.name ? problem.text : undefined}
      onChange={(value) => onChange({ ...given, [argument.name]: value })}
    />
  ))

type FieldProps = {
  argument: Argument
  value: string | boolean | undefined
  names: KnownNames[keyof KnownNames] | undefined
  problem: string | undefined
  onChange: (value: string | boolean) => void
}

function Field({
  argument: { name, kind, choices, isRequired, limits, description },
  value,
  names,
  problem,
  onChange,
}: FieldProps) {
  const id = useId()
  const label = (
    <span>
      <code>{name}</code> <span className="text-dim">{isRequired ? limits : `${limits}, may be left out`}</span>
    </span>
  )
  const hint = description !== '' && <small>{description}</small>
  if (kind === 'flag') {
    return (
      <label className="call-flag">
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
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : `${id}-wrong`,
    spellCheck: false,
    autoComplete: 'off',
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
      onChange(event.currentTarget.value),
  }
  const hasLines = kind === 'long' || kind === 'list' || kind === 'json'
  return (
    <div className="call-field">
      <label htmlFor={id}>{label}</label>
      {kind === 'choice' ? (
        <select {...common}>
          <option value="">–</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : hasLines ? (
        <textarea {...common} rows={3} />
      ) : (
        <input {...common} inputMode={kind === 'number' ? 'numeric' : 'text'} list={names && `${id}-names`} />
      )}
      {names !== undefined && (
        <datalist id={`${id}-names`}>
          {names.map(([known, note]) => (
            <option key={known} value={known}>
              {note}
            </option>
          ))}
        </datalist>
      )}
      {problem !== undefined && (
        <small id={`${id}-wrong`} className="call-wrong">
          <Mark kind="bad" size={9} /> <Visible text={problem} />
        </small>
      )}
      {hint}
    </div>
  )
}

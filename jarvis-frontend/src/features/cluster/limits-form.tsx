import type { Limits } from 'protocol'
import { ApiError } from 'protocol/client'
import { useId, useState } from 'react'
import { setLimits, useLimits } from '../../api/limits.ts'

type Pair = 'storageRatio' | 'ramRatio' | 'temperatureC' | 'backupHours'
/** A pair of limits. `by`: factor from the stored value to the shown value. */
const pairs: readonly { key: Pair; name: string; unit: string; by: number }[] = [
  { key: 'storageRatio', name: 'Storage', unit: '%', by: 100 },
  { key: 'ramRatio', name: 'Memory of a node', unit: '%', by: 100 },
  { key: 'temperatureC', name: 'Temperature', unit: '°C', by: 1 },
  { key: 'backupHours', name: 'Age of a backup', unit: 'h', by: 1 },
]

const gib = 1024 ** 3

/** A form for the limits from which a value needs a look, and from which it is bad. */
export function LimitsForm({ isOperator }: { isOperator: boolean }) {
  const kept = useLimits()
  return (
    <details className="limits">
      <summary>Limits</summary>
      {kept === undefined ? (
        <p className="text-dim">They are not read yet.</p>
      ) : (
        <Fields key={JSON.stringify(kept)} kept={kept} isOperator={isOperator} />
      )}
    </details>
  )
}

function Fields({ kept, isOperator }: { kept: Limits; isOperator: boolean }) {
  const [limits, setNow] = useState(kept)
  const [problem, setProblem] = useState<string>()
  const isChanged = JSON.stringify(limits) !== JSON.stringify(kept)
  const leaveOut = (part: Partial<NonNullable<Limits['leaveOut']>>) =>
    setNow({ ...limits, leaveOut: { names: [], types: [], ...limits.leaveOut, ...part } })
  const save = async () => {
    setProblem(undefined)
    try {
      await setLimits(limits)
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : 'The limits could not be kept.')
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {pairs.map(({ key, name, unit, by }) => (
        <fieldset key={key} disabled={!isOperator}>
          <legend>{name}</legend>
          {([0, 1] as const).map((at) => (
            <Figure
              key={at}
              label={`${name}, ${at === 0 ? 'needs a look' : 'is bad'} from`}
              unit={unit}
              value={Math.round(limits[key][at] * by)}
              onChange={(value) => {
                const next: [number, number] = [...limits[key]]
                next[at] = value / by
                setNow({ ...limits, [key]: next })
              }}
            />
          ))}
        </fieldset>
      ))}
      <fieldset disabled={!isOperator}>
        <legend>CPU</legend>
        <Figure
          label="CPU, needs a look from"
          unit="%"
          value={Math.round(limits.cpuRatio * 100)}
          onChange={(value) => setNow({ ...limits, cpuRatio: value / 100 })}
        />
        <Figure
          label="CPU, for so many minutes"
          unit="min"
          value={limits.cpuMinutes}
          onChange={(value) => setNow({ ...limits, cpuMinutes: value })}
        />
      </fieldset>
      <fieldset disabled={!isOperator}>
        <legend>Not looked at</legend>
        <Words
          label="Storages and mount points"
          placeholder="/mnt/media*, D:\\"
          value={limits.leaveOut?.names ?? []}
          onChange={(names) => leaveOut({ names })}
        />
        <Words
          label="Types"
          placeholder="nfs, cifs"
          value={limits.leaveOut?.types ?? []}
          onChange={(types) => leaveOut({ types })}
        />
        <label>
          Smaller than
          <input
            className="field num"
            type="number"
            min={0}
            step="any"
            value={(limits.leaveOut?.belowBytes ?? 0) / gib}
            onChange={({ currentTarget }) =>
              leaveOut({ belowBytes: Math.round((currentTarget.valueAsNumber || 0) * gib) })
            }
          />
          <span className="text-dim">GiB</span>
        </label>
      </fieldset>
      {problem !== undefined && <p role="alert">Not kept: {problem}</p>}
      {isOperator ? (
        <button type="submit" className="button small" disabled={!isChanged}>
          Keep these limits
        </button>
      ) : (
        <p className="text-dim">An operator can do this.</p>
      )}
    </form>
  )
}

type FigureProps = { label: string; unit: string; value: number; onChange: (value: number) => void }

function Figure({ label, unit, value, onChange }: FigureProps) {
  const id = useId()
  return (
    <span className="figure">
      <label className="vh" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        className="field num"
        type="number"
        min={1}
        required
        value={Number.isNaN(value) ? '' : value}
        onChange={(event) => onChange(event.currentTarget.valueAsNumber)}
      />
      <span className="text-dim">{unit}</span>
    </span>
  )
}

type WordsProps = { label: string; placeholder: string; value: readonly string[]; onChange: (value: string[]) => void }

/** A field for a list of words, separated by commas. */
function Words({ label, placeholder, value, onChange }: WordsProps) {
  const [text, setText] = useState(value.join(', '))
  return (
    <label>
      {label}
      <input
        className="field"
        value={text}
        placeholder={placeholder}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          onChange(currentTarget.value.split(',').flatMap((one) => one.trim() || []))
        }}
      />
    </label>
  )
}

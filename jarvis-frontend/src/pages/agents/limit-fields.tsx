import type { AgentBody } from 'protocol'
import { units } from './agent-body.ts'

const unitWords = { tokens: 'Tokens', usd: 'US dollars', calls: 'Model calls', minutes: 'Minutes' }

/** The limits of a day or of one run, a field for each unit. */
export const LimitFields = ({
  of,
  legend,
  budget,
}: {
  of: 'day' | 'run'
  legend: string
  budget: AgentBody['budget']
}) => (
  <fieldset className="agents-most">
    <legend>{legend}</legend>
    {units.map((unit) => (
      <label key={unit}>
        {unitWords[unit]}
        <input
          className="field num"
          name={`${of} ${unit}`}
          inputMode="decimal"
          defaultValue={(of === 'day' ? budget : budget?.run)?.[unit] ?? ''}
        />
      </label>
    ))}
  </fieldset>
)

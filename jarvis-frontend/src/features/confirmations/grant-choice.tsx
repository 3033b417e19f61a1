import type { GrantRequest } from 'jarvis-backend/protocol'
import { plural, timeOfDay } from '../../lib/format.ts'
import { useNow } from '../../ui/use-now.ts'

const minutes = { 30: '30 min', 120: '2 h', 480: '8 h' }
const uses = { 1: '1 time', 3: '3 times', 10: '10 times' }

/** For how long, and how often besides this time, the same call asks nobody. */
export function GrantChoice({ grant, onChange }: { grant: GrantRequest; onChange: (grant: GrantRequest) => void }) {
  return (
    <div className="grant">
      Exactly this call, from the same asker, does not ask again for
      <Choice
        label="How long"
        of={minutes}
        value={grant.minutes}
        onChoose={(minutes) => onChange({ ...grant, minutes })}
      />
      and at most
      <Choice label="How often" of={uses} value={grant.uses} onChoose={(uses) => onChange({ ...grant, uses })} />
    </div>
  )
}

type ChoiceProps = {
  label: string
  of: Record<number, string>
  value: number | undefined
  onChoose: (value: number) => void
}

function Choice({ label, of, value, onChoose }: ChoiceProps) {
  return (
    <select
      className="field"
      aria-label={label}
      value={value}
      onChange={(event) => onChoose(Number(event.target.value))}
    >
      {Object.entries(of).map(([choice, words]) => (
        <option key={choice} value={choice}>
          {words}
        </option>
      ))}
    </select>
  )
}

/** ` and allow 3 more until 09:48` */
export function GrantWords({ grant }: { grant: GrantRequest }) {
  const now = useNow(1_000)
  return ` and allow ${plural(grant.uses ?? 0, 'more', 'more')} until ${timeOfDay(now + (grant.minutes ?? 0) * 60_000)}`
}

import { useState } from 'react'
import { withUnit } from '../../lib/format.ts'

const choices = [2, 5, 10, 30, 60]

/** A checkbox: the change goes back by itself unless a person keeps it. Off by default. */
export function GoesBackChoice({
  minutes,
  onChoose,
}: {
  minutes: number | undefined
  onChoose: (minutes: number | undefined) => void
}) {
  const [last, setLast] = useState(10)
  return (
    <p className="goes-back-choice">
      <label>
        <input
          type="checkbox"
          checked={minutes !== undefined}
          onChange={(event) => onChoose(event.target.checked ? last : undefined)}
        />
        <span>Goes back by itself in</span>
      </label>
      <select
        className="field"
        aria-label="Goes back after"
        value={last}
        onChange={(event) => {
          setLast(Number(event.target.value))
          onChoose(Number(event.target.value))
        }}
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {withUnit(choice, 'min')}
          </option>
        ))}
      </select>
      <span>unless you press Keep</span>
    </p>
  )
}

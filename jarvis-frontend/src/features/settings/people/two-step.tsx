import { useState } from 'react'

/** A button whose act needs a second press: `Remove…`, then `Remove ann` or `Keep ann`. `held`: why it is disabled, shown beside it. */
export function TwoStep({
  act,
  object,
  label = act,
  keep = 'Keep',
  held,
  isResting = false,
  onDo,
}: {
  act: string
  object: string
  /** The text of the first button; default: `act`. */
  label?: string
  keep?: string
  held?: string | undefined
  isResting?: boolean
  onDo: () => void
}) {
  const [isAsking, setAsking] = useState(false)
  if (held !== undefined) {
    return (
      <span className="held">
        <button type="button" className="button small quiet" aria-label={`${act} ${object}…`} disabled>
          {label}…
        </button>
        <small>{held}</small>
      </span>
    )
  }
  if (!isAsking) {
    return (
      <button
        type="button"
        className="button small quiet"
        aria-label={`${act} ${object}…`}
        disabled={isResting}
        onClick={() => setAsking(true)}
      >
        {label}…
      </button>
    )
  }
  return (
    <span className="two-acts">
      <button
        type="button"
        className="button small"
        disabled={isResting}
        onClick={() => {
          setAsking(false)
          onDo()
        }}
      >
        {act} {object}
      </button>
      <button type="button" className="button small quiet" onClick={() => setAsking(false)}>
        {keep} {object}
      </button>
    </span>
  )
}

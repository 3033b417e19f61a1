import { useState } from 'react'

type Props = {
  /** Absent: nothing was typed. */
  onDrop: (() => void) | undefined
  onRemove: () => void
}

/** Drops what was typed, or deletes the runbook after a second press. */
export function Discard({ onDrop, onRemove }: Props) {
  const [isRemoving, setRemoving] = useState(false)
  return (
    <p className="job-remove">
      {onDrop !== undefined && (
        <button type="button" className="button small faint" onClick={onDrop}>
          Drop what was typed
        </button>
      )}{' '}
      {isRemoving ? (
        <>
          <button type="button" className="button small" onClick={onRemove}>
            Delete the runbook
          </button>{' '}
          <button type="button" className="button small quiet" onClick={() => setRemoving(false)}>
            Keep it
          </button>
        </>
      ) : (
        <button type="button" className="button small faint" onClick={() => setRemoving(true)}>
          Delete…
        </button>
      )}
    </p>
  )
}

import { useState } from 'react'

type Props = {
  /** Undefined: there is nothing to discard. */
  onDrop: (() => void) | undefined
  onRemove: () => void
}

/** Discards the unsaved text, or deletes the runbook after a second press. */
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

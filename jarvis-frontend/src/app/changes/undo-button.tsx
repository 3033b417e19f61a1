import type { Change } from 'protocol'
import { useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { undoChange } from '../../api/change.ts'
import { useArmed } from '../../api/changes.ts'
import { navigate } from '../../lib/location.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { useNow } from '../../ui/use-now.ts'
import { useIsLive } from '../load-state.tsx'
import { undoable } from './words.ts'

/** The button that undoes a change, or the reason why it cannot be undone. Undo is a call of its own with its own card; its chat opens. */
export function UndoButton({ change, onUndo }: { change: Change; onUndo?: (() => void) | undefined }) {
  const isOperator = useValue(signedIn)?.role === 'operator'
  const isLive = useIsLive()
  const now = useNow(60_000) + (useArmed()?.aheadMs ?? 0)
  const [said, setSaid] = useState<string>()
  const can = undoable(change, now)
  const undo = () =>
    undoChange(change.id).then(
      ({ sessionId }) => navigate(`/chat/${sessionId}`),
      (error: Error) => setSaid(`Not asked for: ${error.message}`),
    )
  if (!can.may)
    return (
      <span className="undo-why">
        <Visible text={can.why} />
      </span>
    )
  if (!isOperator) return <span className="undo-why">an operator can undo it</span>
  return (
    <>
      <button
        type="button"
        className="button small"
        data-undo={change.id}
        disabled={!isLive}
        onClick={() => void (onUndo ?? undo)()}
      >
        Undo…
      </button>
      {!isLive && <span className="undo-why">No connection</span>}
      {said !== undefined && <span role="alert">{said}</span>}
    </>
  )
}

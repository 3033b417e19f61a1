import type { Change } from 'protocol'
import { Step } from '../../features/chat/step.tsx'
import { undoWords } from '../../features/confirmations/undo-words.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Mark } from '../../ui/mark.tsx'
import { useNow } from '../../ui/use-now.ts'
import { live } from '../live.ts'
import { CompareLink } from './compare-link.tsx'
import { GoesBack } from './goes-back.tsx'
import './goes-back.css'
import { UndoButton } from './undo-button.tsx'
import { useChange } from './use-change.ts'

export const isInTime = ({ state, goesBackAt, decidedBy }: Change) =>
  state === 'armed' || goesBackAt !== undefined || decidedBy !== undefined

/** The change that a call made, shown after the call in the chat: Keep while the change is about to go back by itself, otherwise Undo. */
export function ChatChange({ id, sessionId }: { id: string; sessionId: string }) {
  const change = useChange(id)
  // Show nothing if the call changed nothing, failed, or has no undo.
  if (change === undefined || change.state === 'failed' || change.undo.kind === 'none') return null
  const undo = () => void live.chat.send(sessionId, `/undo change=${JSON.stringify(id)}`)
  if (!isInTime(change)) {
    return (
      <div className="step">
        <UndoLine change={change} onUndo={undo} />
      </div>
    )
  }
  return (
    <Step mark={<Icon name="clock" />} top={13}>
      <GoesBack change={change} />
      {change.state === 'made' && <UndoLine change={change} onUndo={undo} />}
    </Step>
  )
}

/** Shows a change like `ChatChange`, outside a chat. If there is no Undo, gives the reason. */
export function ChangeLine({ id }: { id: string }) {
  const change = useChange(id)
  if (change === undefined) return null
  return (
    <>
      {isInTime(change) && <GoesBack change={change} />}
      {change.state !== 'armed' && <UndoLine change={change} />}
    </>
  )
}

function UndoLine({ change, onUndo }: { change: Change; onUndo?: () => void }) {
  const now = useNow(60_000)
  const { undo, problem, state } = change
  return (
    <p className="change-line">
      {problem !== undefined && !isInTime(change) && (
        <span>
          <Mark kind="bad" size={10} /> Not taken back: <Visible text={problem} /> <CompareLink change={change} />
        </span>
      )}
      {undo.kind === 'call' && state !== 'undone' && (
        <span>
          Undo: <Visible text={undoWords(undo, now)} />
        </span>
      )}
      <UndoButton change={change} onUndo={onUndo} />
    </p>
  )
}

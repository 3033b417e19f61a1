import { useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { live } from '../../app/live.ts'
import { useIsLive } from '../../app/load-state.tsx'
import { plural } from '../../lib/format.ts'
import { useValue } from '../../lib/use-value.ts'
import '../../app/changes/goes-back.css'
import { offerOf } from './apply.ts'

/** Offers to apply the file changes of a command. The button sends a command that a person could also type; the call shows its card as usual. */
export function ApplyCommand({
  command,
  changes,
  runId,
  sessionId,
  isBare = false,
}: {
  command: string
  changes: number
  runId: string
  sessionId: string
  isBare?: boolean
}) {
  const { view } = useValue(live.chat.open(sessionId).state)
  const mayAsk = useValue(signedIn)?.mayAsk === true
  const isLive = useIsLive()
  const [sent, setSent] = useState<number>()
  const offer = view && offerOf(view.entries, command, runId)
  if (!mayAsk || offer === undefined) return null
  const apply = () => {
    setSent(offer.asked)
    // The button disappears when the card appears, so move the focus to the composer, as after sending a message.
    document.getElementById('composer')?.focus()
    void live.chat.send(sessionId, `/apply_changes command=${command}`)
  }
  const line = (
    <p className="change-line">
      <span>Nothing is changed yet.</span>
      <button type="button" className="button small" disabled={!isLive || sent === offer.asked} onClick={apply}>
        Apply {plural(changes, 'file')}…
      </button>
      {!isLive && <span className="undo-why">No connection</span>}
    </p>
  )
  return isBare ? line : <div className="step">{line}</div>
}

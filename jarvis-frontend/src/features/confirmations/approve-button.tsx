import type { RefObject } from 'react'
import { Tier } from '../../ui/tier.tsx'

type Props = {
  button: RefObject<HTMLButtonElement | null>
  isArmed: boolean
  isAwake: boolean
  /** Checks once more, at the press, that the card has not moved. */
  isStill: () => boolean
  /** The id of the text that says how it wakes. */
  hint: string
  onApprove: () => void
  onArm: () => void
  onLeave: () => void
  children: React.ReactNode
}

/** The one Approve button of a card. A click approves at once; a key press arms it, and a second one approves. */
export function ApproveButton({ button, isArmed, isAwake, isStill, hint, onApprove, onArm, onLeave, children }: Props) {
  return (
    <button
      type="button"
      ref={button}
      className={`button risk${isArmed ? ' armed' : ''}`}
      aria-disabled={!isAwake}
      aria-describedby={hint}
      onClick={(event) => {
        if (!isAwake || !isStill()) return
        // `detail` counts clicks; it is 0 for a key press.
        if (isArmed || event.detail > 0) onApprove()
        else onArm()
      }}
      onKeyDown={(event) => {
        if (event.repeat) event.preventDefault()
      }}
      onBlur={onLeave}
    >
      <Tier tier="red" size={11} />
      {children}
    </button>
  )
}

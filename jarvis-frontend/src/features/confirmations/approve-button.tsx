import type { RefObject } from 'react'
import { Tier } from '../../ui/tier.tsx'

type Props = {
  button: RefObject<HTMLButtonElement | null>
  isArmed: boolean
  isAwake: boolean
  /** Checks again at the press that the card has not moved. */
  isStill: () => boolean
  /** Element id of the text that says how to enable the button. */
  hint: string
  onApprove: () => void
  onArm: () => void
  onLeave: () => void
  children: React.ReactNode
}

/** The only Approve button of a card. A click approves at once. A key press arms the button, and a second key press approves. */
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

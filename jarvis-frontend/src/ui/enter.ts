import { keep } from '../lib/keep.ts'
import { useMedia } from './use-media.ts'

/**
 * The effect of Enter in a field of several lines, chosen in this browser. `auto`: Enter on an on-screen keyboard breaks the line, on another
 * keyboard it sends.
 */
export type EnterChoice = 'auto' | 'send' | 'line'

const touch = matchMedia('(pointer: coarse)')

export function enterChoice(): EnterChoice {
  const kept = keep.get('enter')
  return kept === 'send' || kept === 'line' ? kept : 'auto'
}

const isSending = (isTouch: boolean) => (enterChoice() === 'auto' ? !isTouch : enterChoice() === 'send')

/** Label of the Enter key on an on-screen keyboard, by the person's choice of what Enter does. */
export const useEnterHint = (): 'send' | 'enter' => (isSending(useMedia(touch)) ? 'send' : 'enter')

/** True if a key press sends the text of a multi-line field. Ctrl+Enter and Cmd+Enter always send it. */
export function sends(event: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey'>): boolean {
  if (event.key !== 'Enter') return false
  return event.ctrlKey || event.metaKey || (!event.shiftKey && isSending(touch.matches))
}

type Press = Pick<KeyboardEvent, 'isComposing' | 'keyCode'>

/** True if the key press belongs to an input method's composition. Safari ends the composition before the key press that confirms it. */
export const isComposed = ({ isComposing, keyCode }: Press): boolean => isComposing || keyCode === 229

/**
 * Hides key presses of an input method's composition from all listeners of this page. A terminal still gets them, because it handles composition
 * itself.
 */
export function guardComposing(): void {
  const guard = (event: KeyboardEvent) => {
    const { target } = event
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
    if (isField && isComposed(event) && target.closest('.xterm') === null) event.stopImmediatePropagation()
  }
  addEventListener('keydown', guard, true)
}

import { type RefObject, useEffect, useRef } from 'react'
import { letterAfter, noLetter } from './letter.ts'

/** The actions of a card's keys. `isArmed`: one more key press approves. */
type Keys = {
  isArmed: boolean
  isSending: boolean
  arm: () => void
  disarm: () => void
  deny: () => void
}

/** Listens for the keys of a card while the focus is inside it: A arms, D denies. */
export function useCardKeys(root: RefObject<HTMLElement | null>, keys: Keys) {
  const letter = useRef(noLetter)
  const onKey = useRef<(event: KeyboardEvent) => void>(undefined)
  onKey.current = (event) => {
    const { isArmed, isSending } = keys
    const isField = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
    if (isField || event.ctrlKey || event.metaKey || event.altKey || event.repeat || isSending) return
    if (event.key.length === 1) {
      letter.current = letterAfter(letter.current, event)
      // The person is typing text, so the Enter that follows must not approve.
      if (isArmed && event.key !== ' ') keys.disarm()
      if (letter.current.isWord) return
    }
    if (event.key === 'a' || event.key === 'A') {
      event.preventDefault()
      keys.arm()
    } else if (event.key === 'd' || event.key === 'D') {
      event.preventDefault()
      keys.deny()
    }
  }
  useEffect(() => {
    const element = root.current
    const listen = (event: KeyboardEvent) => onKey.current?.(event)
    element?.addEventListener('keydown', listen)
    return () => element?.removeEventListener('keydown', listen)
  }, [root])
}

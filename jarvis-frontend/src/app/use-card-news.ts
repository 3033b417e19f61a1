import { useEffect, useRef } from 'react'
import { useArmed } from '../api/changes.ts'
import { useConfirmations } from '../api/confirmations.ts'
import { whenIdle } from '../lib/idle.ts'
import { navigate } from '../lib/location.tsx'

/** Follows the browser's notes. @returns the cards that this page began with, once something waits that is to be announced */
export function useCardNews() {
  const pending = useConfirmations()?.pending
  const changes = useArmed()?.items.length
  const first = useRef(pending)
  const isOn = useRef(false)
  first.current ??= pending
  isOn.current ||= (pending?.length || changes || 0) > 0
  useEffect(() => {
    const gone = new AbortController()
    const takeBack = whenIdle(() => {
      void import('./notify.ts').then(({ followNotes }) => followNotes((path) => navigate(path), gone.signal))
    })
    return () => {
      takeBack()
      gone.abort()
    }
  }, [])
  return isOn.current ? first.current : undefined
}

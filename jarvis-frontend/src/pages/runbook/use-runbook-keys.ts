import { useEffect, useRef } from 'react'
import { overlay } from '../../app/overlay.ts'

type Deeds = { save: () => void; runDry: () => void; nextFault: () => void }

/** Listens for the keys of a runbook's page: Ctrl+S saves, Ctrl+Enter runs it dry, F8 goes to the next fault. */
export function useRunbookKeys({ save, runDry, nextFault }: Deeds) {
  const onKey = useRef<(event: KeyboardEvent) => void>(undefined)
  onKey.current = (event) => {
    if (overlay.get() !== undefined || event.altKey) return
    const isCtrl = event.ctrlKey || event.metaKey
    if (isCtrl && event.key.toLowerCase() === 's') save()
    else if (isCtrl && event.key === 'Enter') runDry()
    else if (event.key === 'F8') nextFault()
    else return
    event.preventDefault()
  }
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey.current?.(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

import { useEffect, useRef } from 'react'

/**
 * Calls `act` when Escape is pressed and nothing nearer has taken it, also from within a field.
 * @param act undefined: there is nothing to close
 */
export function useEscape(act: (() => void) | undefined): void {
  const current = useRef(act)
  current.current = act
  useEffect(() => {
    const listen = () => current.current?.()
    addEventListener('jarvis:escape', listen)
    return () => removeEventListener('jarvis:escape', listen)
  }, [])
}

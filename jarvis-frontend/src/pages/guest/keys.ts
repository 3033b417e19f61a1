import type { Guest } from 'protocol'
import { useEffect, useRef } from 'react'
import { usePages } from '../../app/here.ts'
import { overlay } from '../../app/overlay.ts'
import { chosen } from '../../lib/chosen.ts'
import { navigate } from '../../lib/location.tsx'

/**
 * Registers the keys of a guest's page: `[` and `]` open the previous and next guest, `1` to `4` open a tab. `U` presses the Undo of the focused
 * change; without one it focuses the Undo of the newest change.
 */
export function useGuestKeys(guests: readonly Guest[], tabs: readonly string[]) {
  const pages = usePages()
  const onKey = useRef<(event: KeyboardEvent) => void>(undefined)
  onKey.current = (event) => {
    const { target, key } = event
    const isField = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
    if (isField || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
    if (overlay.get() !== undefined || document.querySelector('dialog[open]') !== null) return
    if (chosen('letters') === 'off') return
    // A change that goes back by itself has its own keys, and a console takes every key.
    if (target instanceof HTMLElement && target.closest('.goes-back, .terminal-screen') !== null) return
    const tab = tabs[Number(key) - 1]
    // Read the address, because the page that the last key opened may not be drawn yet.
    const { pathname, search } = location
    const vmid = Number(pages.at(location)?.params.vmid)
    if (key === '[' || key === ']') {
      const all = guests.map((known) => known.vmid).sort((a, b) => a - b)
      const next = key === ']' ? all.find((id) => id > vmid) : all.findLast((id) => id < vmid)
      if (next !== undefined) navigate(`/guest/${next}${search}`)
    } else if (tab !== undefined)
      navigate(`${pathname}?${new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(search)), tab })}`, {
        replace: true,
      })
    else if (key === 'u' || key === 'U') {
      const row = document.activeElement?.closest('[data-change-row]')
      const undo = (row ?? document).querySelector<HTMLButtonElement>('[data-undo]')
      if (row == null) undo?.focus()
      else undo?.click()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey.current?.(event)
    // Capture, so that this listener runs before the shell's, which uses `[` and `]` too.
    addEventListener('keydown', listen, true)
    return () => removeEventListener('keydown', listen, true)
  }, [])
}

import { useEffect, useRef } from 'react'
import { chosen } from '../lib/chosen.ts'
import { overlay } from './overlay.ts'

/** Time after `g` in which a letter opens a page, ms. */
const goWithinMs = 1_500

/**
 * Registers single-key shortcuts of one page, by `event.key` in lower case. They do nothing in fields, under dialogs, if letter shortcuts are
 * switched off, and right after `g`. If a handler returns false, other listeners get the key.
 */
export function usePageKeys(keys: Readonly<Record<string, (() => unknown) | undefined>>): void {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY
    const listen = (event: KeyboardEvent) => {
      const { target, key } = event
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return
      if (target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return
      if (overlay.get() !== undefined || document.querySelector('dialog[open]') !== null) return
      if (chosen('letters') === 'off') return
      const isGoing = event.timeStamp - wentAt < goWithinMs
      wentAt = key === 'g' && !isGoing ? event.timeStamp : Number.NEGATIVE_INFINITY
      const act = isGoing ? undefined : current.current[key.toLowerCase()]
      if (act === undefined || act() === false) return
      event.preventDefault()
    }
    // Capture, so that this listener runs before the shell's.
    addEventListener('keydown', listen, true)
    return () => removeEventListener('keydown', listen, true)
  }, [])
}

/** Moves the focus by one row among those that `selector` finds. If no row has the focus, moves it to the current row, or else the first. */
export function moveFocus(selector: string, by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(selector)]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = at < 0 ? (rows.find((row) => row.getAttribute('aria-current') === 'true') ?? rows[0]) : rows[at + by]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'nearest' })
}

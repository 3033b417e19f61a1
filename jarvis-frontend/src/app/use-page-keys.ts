import { useEffect, useRef } from 'react'
import { chosen } from '../lib/chosen.ts'
import { overlay } from './overlay.ts'

/** After `g` a letter leads to a page. */
const goWithinMs = 1_500

/**
 * Single keys of one page, by their name in small letters. They do nothing in fields, under dialogs, where letters are switched
 * off, and right after `g`. A function that returns false leaves the key to others.
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
    // Before the frame's own keys.
    addEventListener('keydown', listen, true)
    return () => removeEventListener('keydown', listen, true)
  }, [])
}

/** Moves the focus by one among the rows that `selector` finds; to the first where none has it. */
export function moveFocus(selector: string, by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(selector)]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = at < 0 ? (rows.find((row) => row.getAttribute('aria-current') === 'true') ?? rows[0]) : rows[at + by]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'nearest' })
}

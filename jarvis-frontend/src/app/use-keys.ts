import { useLayoutEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { useConfirmations } from '../api/confirmations.ts'
import { passwordQuestion } from '../api/step-up.ts'
import { cardPath } from '../features/confirmations/tray.tsx'
import { keep } from '../lib/keep.ts'
import { overlay } from './overlay.ts'
import type { Panel } from './panel-context.ts'

const pageKeys: Record<string, string> = {
  c: '/',
  e: '/sessions',
  l: '/cluster',
  w: '/waiting',
  j: '/journal',
  t: '/tools',
  m: '/memory',
  s: '/settings',
  y: '/system',
}
const goWithinMs = 1_500

const isField = (target: EventTarget | null) =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement

/** Focuses a card and brings all of it on screen. */
export function goToCard(element: HTMLElement): void {
  element.focus({ preventScroll: true })
  element.scrollIntoView({ block: 'nearest' })
}

/** The keyboard's one table. Single letters are off in fields. */
export function useKeys(panel: Panel): void {
  const navigate = useNavigate()
  const pending = useConfirmations()?.pending
  const onKey = useRef<(event: KeyboardEvent) => void>(undefined)
  const goingSince = useRef(0)
  onKey.current = (event) => {
    if (event.defaultPrevented || passwordQuestion.get() !== undefined) return
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      overlay.set(overlay.get() === 'palette' ? undefined : 'palette')
      return
    }
    // What lies over the page has the keys to itself.
    if (overlay.get() !== undefined) return
    if (event.ctrlKey && event.key === '.') {
      event.preventDefault()
      nextCard()
      return
    }
    if (event.altKey && event.code === 'KeyN') {
      event.preventDefault()
      void navigate('/', { state: { write: true } })
      return
    }
    if (event.key === 'Escape') {
      if (panel.isOpen && panel.isSheet) panel.close()
      else dispatchEvent(new Event('jarvis:escape'))
      return
    }
    if (isField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
    if (keep.get('letters') === 'off') return
    const page = Date.now() - goingSince.current < goWithinMs ? pageKeys[event.key] : undefined
    goingSince.current = event.key === 'g' ? Date.now() : 0
    if (page !== undefined) {
      event.preventDefault()
      void navigate(page)
    } else if (event.key === '/') {
      event.preventDefault()
      document.getElementById('composer')?.focus()
    } else if (event.key === ']') panel.toggle()
    else if (event.key === '[') panel.toggleRail()
    else if (event.key === '?') overlay.set('keys')
  }
  const nextCard = () => {
    const here = [...document.querySelectorAll<HTMLElement>('[data-pending]')]
    const at = here.findIndex((card) => card.contains(document.activeElement))
    const next = here[at + 1]
    if (next !== undefined) {
      goToCard(next)
      return
    }
    const shown = new Set(here.map((card) => card.dataset.pending))
    const elsewhere = pending?.find((row) => !shown.has(row.toolUseId))
    if (elsewhere !== undefined) void navigate(cardPath(elsewhere))
    else if (here[0] !== undefined) goToCard(here[0])
  }
  // What is seen takes keys: an effect after the paint would lose the first.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => onKey.current?.(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

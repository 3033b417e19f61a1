import { useLayoutEffect, useRef, useState } from 'react'
import { passwordQuestion } from '../api/step-up.ts'
import { elementOf, pathOf, useWaiting } from '../api/waiting.ts'
import { chosen } from '../lib/chosen.ts'
import { navigate } from '../lib/location.tsx'
import { pressEscape } from '../lib/use-escape.ts'
import { usePages } from './here.ts'
import { overlay } from './overlay.ts'
import type { Panel } from './panel-context.ts'
import { composer, Typing } from './typing.ts'

const isField = (target: EventTarget | null) =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
/** One-key shortcuts that cannot begin a word. */
const signs = ['/', '[', ']', '?']

/** Focuses a card or question and scrolls it fully into view. */
export function goToCard(element: HTMLElement): void {
  element.focus({ preventScroll: true })
  element.scrollIntoView({ block: 'nearest' })
}

/**
 * Handles every shortcut of the page. In fields, single letters are ordinary text. Outside fields, a letter that begins a word is typed into the
 * composer.
 */
export function useKeys(panel: Panel): void {
  const { asks } = useWaiting()
  const onKey = useRef<(event: KeyboardEvent) => void>(undefined)
  const { all } = usePages()
  const [typing] = useState(() => new Typing(all, (path) => navigate(path), composer))
  onKey.current = (event) => {
    if (event.defaultPrevented || passwordQuestion.get() !== undefined) return
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      overlay.set(overlay.get() === 'palette' ? undefined : 'palette')
      return
    }
    // An overlay handles its own keys.
    if (overlay.get() !== undefined) return
    if (event.ctrlKey && event.key === '.') {
      event.preventDefault()
      nextAsk()
      return
    }
    if (event.altKey && event.code === 'KeyN') {
      event.preventDefault()
      navigate('/', { state: { write: true } })
      return
    }
    if (event.key === 'Escape') {
      if (panel.isOpen && panel.isSheet) panel.close()
      else pressEscape()
      return
    }
    if (isField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
    const isOn = chosen('letters') !== 'off'
    if (typing.isHolding || !isOn || !signs.includes(event.key)) typing.take(event, isOn)
    else if (event.key === '/') {
      event.preventDefault()
      document.getElementById('composer')?.focus()
    } else if (event.key === ']') panel.toggle()
    else if (event.key === '[') panel.toggleRail()
    else overlay.set('keys')
  }
  const nextAsk = () => {
    const here = [...document.querySelectorAll<HTMLElement>('[data-pending]')]
    const at = here.findIndex((card) => card.contains(document.activeElement))
    const next = here[at + 1]
    if (next !== undefined) {
      goToCard(next)
      return
    }
    const shown = new Set(here.map(({ id }) => id))
    const elsewhere = asks.find((ask) => !shown.has(elementOf(ask)))
    if (elsewhere !== undefined) navigate(pathOf(elsewhere))
    else if (here[0] !== undefined) goToCard(here[0])
  }
  // Register the listener before the first paint; `useEffect` would miss keys pressed in between.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => onKey.current?.(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

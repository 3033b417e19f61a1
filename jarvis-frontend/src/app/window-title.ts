import { useEffect, useLayoutEffect } from 'react'
import { useValue } from '../lib/use-value.ts'
import { Value } from '../lib/value.ts'
import { visibleText } from '../ui/visible.ts'
import { useHere } from './here.ts'
import { usePresence } from './presence.tsx'

/** The title of the window: `(2) Alerts · JARVIS`. @param waiting number of things that wait for the person */
export function setWindowTitle(name: string, { waiting = 0, isWorking = false } = {}): void {
  document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${name} · JARVIS${waiting === 0 && isWorking ? ', working' : ''}`
}

/** The name of what the page shows, such as a session's title; undefined if the title in the list of pages is enough. */
const named = new Value<string | undefined>(undefined)

/** Names what the page shows in the title of the window, while the component is drawn. */
export function useWindowName(name: string | undefined): void {
  useLayoutEffect(() => {
    named.set(name)
    return () => named.set(undefined)
  }, [name])
}

/** Keeps the title of the window. */
export function WindowTitle(): null {
  const { waiting, core } = usePresence()
  const title = useHere()?.page.title ?? 'No such page'
  const name = visibleText(useValue(named) ?? title)
  const isWorking = core === 'working'
  useEffect(() => setWindowTitle(name, { waiting, isWorking }), [name, waiting, isWorking])
  return null
}

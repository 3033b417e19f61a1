import { flushSync } from 'react-dom'
import { useValue } from '../lib/use-value.ts'
import { Value } from '../lib/value.ts'

const printing = new Value(false)
let theme: string | undefined

// The browser lays the page out as soon as the listeners return, so all of it is drawn before that. Paper is light.
addEventListener('beforeprint', () => {
  const { dataset } = document.documentElement
  theme = dataset.theme
  dataset.theme = 'light'
  flushSync(() => printing.set(true))
})
addEventListener('afterprint', () => {
  document.documentElement.dataset.theme = theme
  printing.set(false)
})

/** Returns true while the browser prints the page. A list that draws only some of its rows draws all of them then. */
export const usePrinting = (): boolean => useValue(printing)

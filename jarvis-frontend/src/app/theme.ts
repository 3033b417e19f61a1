import { keep } from '../lib/keep.ts'
import { Value } from '../lib/value.ts'

export type Theme = 'dark' | 'light'

/** `bg` of each, in the form browsers take here; `theme.js` has them too. */
const around = { dark: '#0d0e10', light: '#f4f6f8' }

const drawn = (): Theme => (document.documentElement.dataset.theme === 'light' ? 'light' : 'dark')
export const theme = new Value<Theme>(drawn())

function show(next: Theme): void {
  document.documentElement.dataset.theme = next
  document.querySelector('meta[name=theme-color]')?.setAttribute('content', around[next])
  theme.set(next)
}

export type Choice = Theme | 'system'
export const themeChoice = (): Choice => {
  const kept = keep.get('theme')
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}
export function chooseTheme(choice: Choice): void {
  keep.set('theme', choice === 'system' ? undefined : choice)
  show(choice === 'system' ? (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark') : choice)
}

/** Switches between dark and light. A theme equal to the system's follows the system from then on. */
export function switchTheme(): void {
  const next = drawn() === 'dark' ? 'light' : 'dark'
  const system = matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark'
  keep.set('theme', next === system ? undefined : next)
  show(next)
}

matchMedia('(prefers-color-scheme: light)').addEventListener('change', (event) => {
  if (keep.get('theme') === undefined) show(event.matches ? 'light' : 'dark')
})

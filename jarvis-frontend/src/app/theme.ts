import { chosen } from '../lib/chosen.ts'
import { keep } from '../lib/keep.ts'
import { Value } from '../lib/value.ts'

export type Theme = 'dark' | 'light'

/** `bg` of each theme as a hex colour, the form that `<meta name=theme-color>` needs. `theme.js` repeats these values. */
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
  const kept = chosen('theme')
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}
const system = matchMedia('(prefers-color-scheme: light)')
const systems = (): Theme => (system.matches ? 'light' : 'dark')

/** Applies the chosen theme to the page. */
export function followTheme(): void {
  const choice = themeChoice()
  show(choice === 'system' ? systems() : choice)
}

/** Sets the theme for this browser. */
export function chooseTheme(choice: Choice): void {
  keep.set('theme', choice)
  followTheme()
}

/** Switches between dark and light. If the new theme equals the system's theme, the page follows the system from then on. */
export function switchTheme(): void {
  const next = drawn() === 'dark' ? 'light' : 'dark'
  chooseTheme(next === systems() ? 'system' : next)
}

system.addEventListener('change', followTheme)

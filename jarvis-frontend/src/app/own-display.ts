import type { Display } from 'protocol'
import { type Chosen, chosen } from '../lib/chosen.ts'
import { keep } from '../lib/keep.ts'
import { followDensity } from './density.ts'
import { followTheme } from './theme.ts'

const names: readonly Chosen[] = ['theme', 'density', 'letters']

/**
 * Stores in this browser the display settings that the person saved for all browsers, so that they apply before the first paint. They are shown if
 * this browser has no own settings.
 */
export function takeDisplay({ theme, density, letters }: Display): void {
  const own = { theme, density, letters: letters === undefined ? undefined : letters ? 'on' : 'off' }
  for (const name of names) keep.set(`own.${name}`, own[name])
  follow()
}

/** True if this browser has display settings of its own. */
export const choosesHere = (): boolean => names.some((name) => keep.get(name) !== undefined)

/** Removes this browser's own display settings. */
export function chooseNothingHere(): void {
  for (const name of names) keep.set(name, undefined)
  follow()
}

function follow(): void {
  followTheme()
  followDensity()
}

/** The display settings of this browser, to be saved for all browsers. */
export const displayHere = (): Display => ({
  theme: (chosen('theme') ?? 'system') as NonNullable<Display['theme']>,
  density: chosen('density') === 'comfortable' ? 'comfortable' : 'compact',
  letters: chosen('letters') !== 'off',
})

import type { Display } from 'protocol'
import { type Chosen, chosen } from '../lib/chosen.ts'
import { keep } from '../lib/keep.ts'
import { followDensity } from './density.ts'
import { followTheme } from './theme.ts'

const names: readonly Chosen[] = ['theme', 'density', 'letters']

/**
 * Keeps what the person chose for every browser, so that it counts before the first paint, and shows it where this browser has no choice of its own.
 */
export function takeDisplay({ theme, density, letters }: Display): void {
  const own = { theme, density, letters: letters === undefined ? undefined : letters ? 'on' : 'off' }
  for (const name of names) keep.set(`own.${name}`, own[name])
  follow()
}

/** True if this browser has a choice of its own. */
export const choosesHere = (): boolean => names.some((name) => keep.get(name) !== undefined)

/** Takes back what was chosen in this browser. */
export function chooseNothingHere(): void {
  for (const name of names) keep.set(name, undefined)
  follow()
}

function follow(): void {
  followTheme()
  followDensity()
}

/** The display settings of this browser, to be kept for every browser. */
export const displayHere = (): Display => ({
  theme: (chosen('theme') ?? 'system') as NonNullable<Display['theme']>,
  density: chosen('density') === 'comfortable' ? 'comfortable' : 'compact',
  letters: chosen('letters') !== 'off',
})

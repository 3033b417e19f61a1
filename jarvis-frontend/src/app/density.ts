import { chosen } from '../lib/chosen.ts'
import { keep } from '../lib/keep.ts'

export type Density = 'compact' | 'comfortable'

export const densityChoice = (): Density => (chosen('density') === 'comfortable' ? 'comfortable' : 'compact')

/** Applies the chosen density to the page. `theme.js` does the same before the first paint. */
export function followDensity(): void {
  if (densityChoice() === 'compact') delete document.documentElement.dataset.density
  else document.documentElement.dataset.density = 'comfortable'
}

/** Sets the density for this browser. */
export function chooseDensity(choice: Density): void {
  keep.set('density', choice)
  followDensity()
}

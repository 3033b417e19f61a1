import { chosen } from '../lib/chosen.ts'
import { keep } from '../lib/keep.ts'

export type Density = 'compact' | 'comfortable'

export const densityChoice = (): Density => (chosen('density') === 'comfortable' ? 'comfortable' : 'compact')

/** Draws the page in the density that is chosen. `theme.js` does so before the first paint. */
export function followDensity(): void {
  if (densityChoice() === 'compact') delete document.documentElement.dataset.density
  else document.documentElement.dataset.density = 'comfortable'
}

/** Chooses for this browser. */
export function chooseDensity(choice: Density): void {
  keep.set('density', choice)
  followDensity()
}

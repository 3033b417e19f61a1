import { keep } from '../lib/keep.ts'

export type Density = 'compact' | 'comfortable'

export const densityChoice = (): Density => (keep.get('density') === 'comfortable' ? 'comfortable' : 'compact')

/** The density of the page, kept in this browser. `theme.js` applies it before the first paint. */
export function chooseDensity(choice: Density): void {
  keep.set('density', choice === 'compact' ? undefined : choice)
  if (choice === 'compact') delete document.documentElement.dataset.density
  else document.documentElement.dataset.density = choice
}

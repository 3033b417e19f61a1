import { keep } from './keep.ts'

/** Display settings: this browser's choice, else the person's choice for every browser. */
export type Chosen = 'theme' | 'density' | 'letters'
export const chosen = (name: Chosen): string | undefined => keep.get(name) ?? keep.get(`own.${name}`)

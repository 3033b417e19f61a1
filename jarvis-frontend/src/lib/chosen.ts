import { keep } from './keep.ts'

/** What is chosen in this browser, else by the person for every browser. */
export type Chosen = 'theme' | 'density' | 'letters'
export const chosen = (name: Chosen): string | undefined => keep.get(name) ?? keep.get(`own.${name}`)

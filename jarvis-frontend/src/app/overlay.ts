import { Value } from '../lib/value.ts'

/** The overlay on the page: the palette, the table of keys, or none. */
export const overlay = new Value<'palette' | 'keys' | undefined>(undefined)

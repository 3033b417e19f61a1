import { Value } from '../lib/value.ts'

/** The overlay that is open: the palette, the table of keys, or none. */
export const overlay = new Value<'palette' | 'keys' | undefined>(undefined)

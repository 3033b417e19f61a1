import { Value } from '../lib/value.ts'

/** What lies over the page: the palette, or the table of keys. */
export const overlay = new Value<'palette' | 'keys' | undefined>(undefined)

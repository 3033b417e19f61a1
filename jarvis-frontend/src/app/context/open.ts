import { Value } from '../../lib/value.ts'

/** The session whose context panel is open beside the chat, in place of the cluster; undefined: none. */
export const contextOf = new Value<string | undefined>(undefined)

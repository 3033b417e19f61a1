import { Value } from '../../lib/value.ts'

/** The session whose context stands beside the chat, in place of the cluster. */
export const contextOf = new Value<string | undefined>(undefined)

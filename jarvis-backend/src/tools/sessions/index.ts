import { readResult } from './read-result.ts'

/** The tools over the results of a conversation. */
export const sessionTools = [readResult]

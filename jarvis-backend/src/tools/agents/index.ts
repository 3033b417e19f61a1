import { delegate } from './delegate.ts'

/** The tools over agents. */
export const agentTools = [delegate]

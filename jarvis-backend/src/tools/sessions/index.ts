import { listSessions } from './list-sessions.ts'
import { readResult } from './read-result.ts'
import { readSession } from './read-session.ts'

/** The tools over conversations and their results. */
export const sessionTools = [readResult, listSessions, readSession]

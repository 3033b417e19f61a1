import { serveChanges } from './change-server.ts'
import { serveJobs } from './job-server.ts'
import { serveTalk } from './talk-server.ts'

/** The servers that tests kill. Each composes JARVIS over a data dir and listens, in whichever process it is called. */
export const servers = { changes: serveChanges, jobs: serveJobs, talk: serveTalk }

export type ServerName = keyof typeof servers
export type StartOf<Name extends ServerName> = Parameters<(typeof servers)[Name]>[0]

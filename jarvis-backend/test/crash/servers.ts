import { serveAlerts } from './alert-server.ts'
import { serveChanges } from './change-server.ts'
import { serveDelegates } from './delegate-server.ts'
import { serveJobs } from './job-server.ts'
import { serveTalk } from './talk-server.ts'
import { serveV1 } from './v1-server.ts'
import { serveWorkbench } from './workbench-life.ts'

/** The servers that tests kill. Each composes JARVIS over a data dir and listens, in whichever process it is called. */
export const servers = {
  alerts: serveAlerts,
  changes: serveChanges,
  delegates: serveDelegates,
  jobs: serveJobs,
  talk: serveTalk,
  v1: serveV1,
  workbench: serveWorkbench,
}

export type ServerName = keyof typeof servers
export type StartOf<Name extends ServerName> = Parameters<(typeof servers)[Name]>[0]

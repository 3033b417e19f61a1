import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { readConfig } from '../../src/config/config.ts'
import { compose, demoFor, type Replacements } from '../../src/process.ts'
import type { Broken } from './mutants.ts'
import { observed } from './observed-database.ts'
import type { Reach } from './steps.ts'

/** The surroundings of a server, in a process of its own and in the tests' one. `memoryWorker`: if a bundle holds none beside itself. */
export type Around = { jwtSecret: string; reach: Reach; broken?: Broken | undefined; memoryWorker?: URL }

/** A server that listens. */
export type Served = {
  url: string
  /** A message to a session, or to a new one. @returns the session */
  say(text: string, sessionId?: string): string
  /** Lets its clock go, where it stands still at first. */
  go?(): void
  /** Ends it in order: what runs may finish, and no connection, timer or thread is left. */
  stop(): Promise<void>
}

/** Composes JARVIS over a data dir, hashing passwords as cheaply as argon2id allows, and lets it listen on a free port of loopback. */
export async function listen(
  { jwtSecret, reach, broken = {}, memoryWorker }: Around,
  dataDir: string,
  replace: Replacements,
  env: Record<string, string> = {},
): Promise<Served> {
  const config = readConfig({
    JARVIS_DATA_DIR: dataDir,
    JARVIS_PASSWORD: 'correct-horse-battery',
    JWT_SECRET: jwtSecret,
    LOG_LEVEL: 'silent',
    PORT: '0',
    JARVIS_EMBEDDINGS: 'none',
    ...env,
  })
  const jarvis = compose(
    config,
    { version: '0.0.0-crash', dashboardDir: join(dataDir, 'no-dashboard') },
    {
      demo: await demoFor(config),
      hashStrength: { memoryKib: 8, passes: 1, lanes: 1 },
      ...broken,
      database: (database) => observed(broken.database?.(database) ?? database, reach),
      ...(memoryWorker && { memoryWorker }),
      ...replace,
    },
  )
  // Where client and server are one process, one of them would close after 5 s what the other just uses.
  jarvis.http.keepAliveTimeout = 60_000
  jarvis.http.listen(0, '127.0.0.1')
  await once(jarvis.http, 'listening')
  return {
    url: `http://127.0.0.1:${(jarvis.http.address() as AddressInfo).port}`,
    say: (text, sessionId) =>
      jarvis.hub.start({ text, by: 'operator', ...(sessionId !== undefined && { sessionId }) }).sessionId,
    stop: () => jarvis.stop(5_000),
  }
}

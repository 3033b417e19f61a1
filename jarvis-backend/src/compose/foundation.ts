import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { join } from 'node:path'
import { createPassword } from '../auth/password.ts'
import type { Config } from '../config/config.ts'
import { openDataDir } from '../config/data-dir.ts'
import { policyPath, requirePolicy } from '../config/policy-file.ts'
import { createLogTail } from '../http/logs.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { keptOrMade } from '../lib/kept-secret.ts'
import { createLogger } from '../lib/logger.ts'
import { createGrowingRedactor } from '../redaction/growing.ts'
import { type Database, openDatabase } from '../store/sqlite/database.ts'
import { keepJournal } from '../store/sqlite/journal/kept.ts'
import { lockDataDir } from '../store/sqlite/lock.ts'
import { createSettings } from '../store/sqlite/settings.ts'

/**
 * What all the rest stands on: the data dir and its lock, the database and the journal, secrets and what hides them, the log.
 * @throws ConfigError, DatabaseRefused before anything is changed
 */
export function composeFoundation(
  config: Config,
  replace: { clock?: Clock; databasePath?: string; database?: (database: Database) => Database },
) {
  const clock = replace.clock ?? systemClock
  const now = () => clock.now()
  const openToOthers: string[] = []
  const dataDir = openDataDir(config.dataDir, (text) => openToOthers.push(text))
  const writtenPolicy = requirePolicy(policyPath(dataDir))
  const unlock = lockDataDir(dataDir)
  const databasePath = replace.databasePath ?? join(dataDir, 'jarvis.db')
  const opened = openDatabase(databasePath)
  const database = replace.database?.(opened) ?? opened
  const jwtSecret = config.jwtSecret ?? keptOrMade(dataDir, 'jwt-secret', () => randomBytes(32).toString('hex'))
  const settings = createSettings(database)
  const password = createPassword({ configured: config.password, dataDir, secret: jwtSecret, settings, now })

  const redactor = createGrowingRedactor([
    ...config.secrets,
    jwtSecret,
    ...(password.made === undefined ? [] : [password.made]),
  ])
  const logTail = createLogTail(now)
  const logger = createLogger(config.logLevel, redactor.text, logTail.keep)
  const report = (error: unknown, message: string) => logger.error({ err: error }, message)
  for (const text of openToOthers) logger.warn(text)
  const journal = keepJournal(database, { dir: join(dataDir, 'journal'), now, report })

  const stopping = new AbortController()
  // Each call of an MCP client listens to it.
  setMaxListeners(0, stopping.signal)
  return {
    clock,
    now,
    dataDir,
    writtenPolicy,
    databasePath,
    database,
    settings,
    jwtSecret,
    password,
    journal,
    redactor,
    redact: redactor.text,
    /** A secret that was learned while running. */
    hide: (secret: string) => redactor.add([secret]),
    log: (text: string, level: 'info' | 'warning') => logger[level === 'info' ? 'info' : 'warn'](text),
    logRoutes: logTail.routes,
    report,
    /** Takes no more work from here on. */
    goDown: () => stopping.abort(),
    stopping: stopping.signal,
    isStopping: () => stopping.signal.aborted,
    /** Runs it after `ms`, unless everything is closed by then. */
    later: (ms: number, run: () => void) => void setTimeout(() => database.sql.open && run(), ms).unref(),
    async close() {
      await journal.flush()
      database.close()
      unlock()
    },
  }
}

export type Foundation = ReturnType<typeof composeFoundation>

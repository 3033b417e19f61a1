import { setMaxListeners } from 'node:events'
import { join } from 'node:path'
import type { Activity } from 'protocol'
import { createGrowingRedactor } from 'redaction/growing'
import { sealRows } from 'secrets'
import { policyGoodKey } from '../calls/active-policy.ts'
import type { Config } from '../config/config.ts'
import { openDataDir } from '../config/data-dir.ts'
import { policyAtStart, policyPath } from '../config/policy-file.ts'
import { sealFiles } from '../config/sealed-files.ts'
import { boxOf, masterTexts, requireKey } from '../config/sealing.ts'
import { createEventStreams } from '../http/event-streams.ts'
import { createLogTail } from '../http/logs.ts'
import { createBelievedClock } from '../lib/believed-clock.ts'
import { createDiskReserve } from '../lib/disk-reserve.ts'
import { createLogSink } from '../lib/log-sink.ts'
import { createLogger } from '../lib/logger.ts'
import type { SteadyClock } from '../lib/steady-clock.ts'
import { createActivityFeed, type Words } from '../realtime/activity.ts'
import { type Database, openDatabase } from '../store/sqlite/database.ts'
import { keepJournal } from '../store/sqlite/journal/kept.ts'
import { lockDataDir } from '../store/sqlite/lock.ts'
import { createHeldInputs } from '../store/sqlite/sessions/held-inputs.ts'
import { createSettings } from '../store/sqlite/settings.ts'
import { createTimeFloor } from '../store/sqlite/time-floor.ts'

const lookAtTimeEveryMs = 5_000
const keepTimeEveryMs = 60_000

/** @throws what `work` throws, after `close` */
function orClose<T>(work: () => T, close: () => void): T {
  try {
    return work()
  } catch (error) {
    close()
    throw error
  }
}

/**
 * Makes what the other parts of a site need: data dir and its lock, database, journal, redactor, log, activity feed.
 * @throws ConfigError, DatabaseRefused before anything is changed
 */
export function composeFoundation(
  config: Config,
  given: SteadyClock,
  replace: { databasePath?: string; database?: (database: Database) => Database },
) {
  const now = () => given.now()
  const warnings: string[] = []
  const dataDir = openDataDir(config.dataDir, (text) => warnings.push(text))
  const sealing = { dataDir, secretKeys: config.secretKeys }
  requireKey(sealing)
  const unlock = lockDataDir(dataDir)
  const databasePath = replace.databasePath ?? join(dataDir, 'jarvis.db')
  const reserve = createDiskReserve(dataDir)
  const opened = openDatabase(databasePath, { waiter: 'server', makeRoom: reserve.release })
  const database = replace.database?.(opened) ?? opened
  const settings = createSettings(database)
  const writtenPolicy = orClose(
    () => policyAtStart(policyPath(dataDir), () => settings.get(policyGoodKey)),
    () => {
      opened.close()
      unlock()
    },
  )
  // A database of a newer JARVIS is refused before anything is sealed, and an older JARVIS refuses this one.
  const secrets = boxOf(sealing)
  const sealed = sealFiles(dataDir, secrets)
  sealRows(database.sql, secrets, database.durably)

  const redactor = createGrowingRedactor([...config.secrets, ...masterTexts(sealing)])
  const logTail = createLogTail(now)
  const logSink = createLogSink(process.stdout)
  const logger = createLogger(config.logLevel, redactor.text, logSink, logTail.keep)
  const report = (error: unknown, message: string) => logger.error({ err: error }, message)
  const log = (text: string, level: 'info' | 'warning') => logger[level === 'info' ? 'info' : 'warn'](text)
  for (const text of warnings) log(text, 'warning')
  const activity = createActivityFeed()
  const journal = keepJournal(database, { dir: join(dataDir, 'journal'), now, report })

  if (sealed.length > 0) {
    log(`Sealed: ${sealed.join(', ')}. See docs/secrets.md.`, 'info')
    database.durably(() => journal.append('setup', { change: 'secrets_sealed', by: 'start', places: sealed }))
  }
  const floor = createTimeFloor(database, config.signInIdleMs)
  function wentBack(reached: number) {
    database.durably(() => {
      floor.end(reached, now())
      journal.append('setup', { change: 'clock_set_back', by: 'jarvis', from: reached, to: now() })
    })
    const [from, to] = [reached, now()].map((at) => new Date(at).toISOString())
    log(`The clock was set back from ${from} to ${to}. Whatever had ended by then stays ended.`, 'warning')
  }
  const believed = createBelievedClock({ now, monotonic: given.monotonic, newest: floor.believed() })
  const clock: SteadyClock = { ...given, believed: believed.now }
  let isLeapTold = false
  /** Says once that the clock leapt further than a process can have stood. */
  function lookForLeap() {
    const leap = believed.leapt()
    if (leap !== undefined && !isLeapTold) {
      database.durably(() => journal.append('setup', { change: 'clock_leapt', by: 'jarvis', ...leap }))
      const [from, to] = [leap.from, leap.to].map((at) => new Date(at).toISOString())
      log(`The clock leapt from ${from} to ${to}. Nothing old is deleted until it has stood for a day.`, 'warning')
    }
    isLeapTold = leap !== undefined
  }
  const above = floor.above(now())
  if (above !== undefined) wentBack(above)
  lookForLeap()
  reserve.hold()
  const stopping = new AbortController()
  // Every MCP call adds a listener, so Node's warning about many listeners is turned off.
  setMaxListeners(0, stopping.signal)
  return {
    clock,
    now,
    dataDir,
    writtenPolicy,
    databasePath,
    sealing,
    /** Seals and opens secrets of this site. */
    secrets,
    database,
    /** Real arguments of calls, sealed beside what is stored of them. */
    held: createHeldInputs(database, { redact: redactor.value, ...secrets }),
    settings,
    journal,
    redactor,
    redact: redactor.text,
    /** Adds a secret that became known while running to the redactor. */
    hide: (secret: string) => redactor.add([secret]),
    log,
    activity,
    /** Of server-sent events, of all sessions and of the activity feed. */
    streams: createEventStreams(clock),
    /** Writes a line to the log and to the activity feed. */
    announce: (kind: Activity['kind']) => (text: string, level: 'info' | 'warning', words?: Words) => {
      log(text, level)
      activity.record({ at: now(), kind, level, text }, words)
    },
    logRoutes: logTail.routes,
    logStanding: logSink.standing,
    /** Of a clock that is not believed. */
    leapt: believed.leapt,
    report,
    /** Aborts `stopping`: no new work is taken. */
    goDown: () => stopping.abort(),
    stopping: stopping.signal,
    isStopping: () => stopping.signal.aborted,
    /** Runs `run` after `ms`, unless the database is closed by then. */
    later: (ms: number, run: () => void) => void setTimeout(() => database.sql.open && run(), ms).unref(),
    /** Looks whether the clock is set back, and keeps how far it came. @param ended called when what had ended was ended again */
    watchTime(ended: () => void): void {
      let keptAt = now()
      const look = () => {
        if (!database.sql.open) return
        try {
          const reached = clock.reached()
          if (reached !== undefined) {
            clock.follow()
            wentBack(reached)
            ended()
          }
          lookForLeap()
          if (reached !== undefined || now() - keptAt >= keepTimeEveryMs) {
            keptAt = now()
            floor.keep(keptAt, believed.now())
            reserve.hold()
          }
        } catch (error) {
          report(error, 'the time could not be kept')
        }
        setTimeout(look, lookAtTimeEveryMs).unref()
      }
      setTimeout(look, lookAtTimeEveryMs).unref()
    },
    async close() {
      floor.keep(now(), believed.now())
      await journal.flush()
      database.close()
      unlock()
    },
  }
}

export type Foundation = ReturnType<typeof composeFoundation>

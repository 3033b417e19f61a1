import { join } from 'node:path'
import { type SecretBox, sealRows } from 'secrets'
import type { Settings } from '../auth/password.ts'
import { policyGoodKey } from '../calls/active-policy.ts'
import type { Config } from '../config/config.ts'
import { openDataDir } from '../config/data-dir.ts'
import { policyAtStart, policyPath } from '../config/policy-file.ts'
import { sealFiles } from '../config/sealed-files.ts'
import { boxOf, masterTexts, requireKey, type Sealing } from '../config/sealing.ts'
import { defineRoom } from '../house.ts'
import { createDiskReserve } from '../lib/disk-reserve.ts'
import type { SiteLog } from '../log/site-log.ts'
import { type Database, openDatabase } from './sqlite/database.ts'
import { lockDataDir } from './sqlite/lock.ts'
import { HeldInputs } from './sqlite/sessions/held-inputs.ts'
import { SqliteSettings } from './sqlite/settings.ts'

/** The data dir and the database of a site. */
export type StoreParts = {
  dataDir: string
  databasePath: string
  database: Database
  settings: Settings
  sealing: Sealing
  /** Seals and opens secrets of this site. */
  secrets: SecretBox
  /** The real arguments of calls that contain secrets, sealed and stored beside the redacted ones. */
  held: HeldInputs
  /** The policy of policy.yaml, or the last good one if the file cannot be used. */
  writtenPolicy: ReturnType<typeof policyAtStart>
  /** Runs `run` after `ms`, unless the database is closed before. */
  later(ms: number, run: () => void): void
}

type StoreNeeds = {
  config: Pick<Config, 'dataDir' | 'secretKeys'>
  siteLog: SiteLog
  /** For tests: another path of the database, and a database that a test watches or breaks. */
  replaced: { databasePath?: string; database?: (database: Database) => Database }
}

/**
 * Opens and locks the data dir, migrates the database, and seals secrets that are stored in plain text. @throws ConfigError, DatabaseRefused before
 * anything is changed
 */
export const storeRoom = defineRoom({
  name: 'store',
  open({ config, siteLog, replaced }: StoreNeeds) {
    const warnings: string[] = []
    const dataDir = openDataDir(config.dataDir, (text) => warnings.push(text))
    const sealing = { dataDir, secretKeys: config.secretKeys }
    requireKey(sealing)
    const unlock = lockDataDir(dataDir)
    const reserve = createDiskReserve(dataDir)
    const databasePath = replaced.databasePath ?? join(dataDir, 'jarvis.db')
    const opened = openDatabase(databasePath, { waiter: 'server', makeRoom: reserve.release })
    const database = replaced.database?.(opened) ?? opened
    const settings = new SqliteSettings(database)
    const writtenPolicy = orClose(
      () => policyAtStart(policyPath(dataDir), () => settings.get(policyGoodKey)),
      () => {
        opened.close()
        unlock()
      },
    )
    // The database is opened before anything is sealed, because a database of a newer JARVIS must be refused unchanged. An older JARVIS refuses this
    // database in turn.
    const secrets = boxOf(sealing)
    const sealed = sealFiles(dataDir, secrets)
    sealRows(database.sql, secrets, database.durably)
    siteLog.redactor.add(masterTexts(sealing))
    for (const text of warnings) siteLog.write(text, 'warning')
    const parts: StoreParts = {
      dataDir,
      databasePath,
      database,
      settings,
      sealing,
      secrets,
      held: new HeldInputs(database, { redact: siteLog.redactor.value, ...secrets }),
      writtenPolicy,
      later: (ms, run) => void setTimeout(() => database.sql.open && run(), ms).unref(),
    }
    return {
      ...parts,
      reserve,
      /** Places whose secrets this start sealed. */
      sealed,
      close() {
        database.close()
        unlock()
      },
    }
  },
})

/** Runs `work`; if it throws, calls `close`. @throws what `work` throws */
function orClose<T>(work: () => T, close: () => void): T {
  try {
    return work()
  } catch (error) {
    close()
    throw error
  }
}

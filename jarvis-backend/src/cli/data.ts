import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { JarvisError } from 'protocol'
import type { Config } from '../config/config.ts'
import { openDataDir } from '../config/data-dir.ts'
import { type Database, openDatabase } from '../store/sqlite/database.ts'
import { type KeptJournal, SqliteKeptJournal } from '../store/sqlite/journal/kept.ts'

type Work = (journal: KeptJournal, database: Database) => void | Promise<void>

/** As `withData`, but requires that the database exists. @throws JarvisError `not_found` */
export async function withJournal(config: Config, work: Work): Promise<void> {
  const path = join(config.dataDir, 'jarvis.db')
  if (!existsSync(path)) throw new JarvisError('not_found', `There is no ${path}. JARVIS_DATA_DIR says where to look.`)
  await withData(config, work)
}

/** Opens the database and the journal for `work`, and closes them afterwards. A server may run meanwhile. */
export async function withData(config: Config, work: Work): Promise<void> {
  const database = openDatabase(join(openDataDir(config.dataDir), 'jarvis.db'))
  try {
    const journal = new SqliteKeptJournal(database, {
      dir: join(config.dataDir, 'journal'),
      now: Date.now,
      report: (error, message) => console.error(error instanceof Error ? `${message}: ${error.message}` : message),
    })
    await work(journal, database)
    await journal.flush()
  } finally {
    database.close()
  }
}

import { join } from 'node:path'
import { defineRoom } from '../../../house.ts'
import type { SiteLog } from '../../../log/site-log.ts'
import type { Database } from '../database.ts'
import { SqliteKeptJournal } from './kept.ts'

/** The journal. Records which secrets this start sealed. */
export const journalRoom = defineRoom({
  name: 'journal',
  open(needs: {
    database: Database
    dataDir: string
    now(): number
    siteLog: SiteLog
    /** Places whose secrets this start sealed. */
    sealed: readonly string[]
  }) {
    const { database, dataDir, now, siteLog, sealed } = needs
    const journal = new SqliteKeptJournal(database, {
      dir: join(dataDir, 'journal'),
      now,
      report: (error, message) => siteLog.report(error, message),
    })
    if (sealed.length > 0) {
      siteLog.write(`Sealed: ${sealed.join(', ')}. See docs/secrets.md.`, 'info')
      database.durably(() => journal.append('setup', { change: 'secrets_sealed', by: 'start', places: sealed }))
    }
    return { journal, close: () => journal.flush() }
  },
})

import { defineRoom, type JarvisFacts } from '../house.ts'
import type { DiskReserve } from '../lib/disk-reserve.ts'
import type { SteadyClock } from '../lib/steady-clock.ts'
import type { SiteLog } from '../log/site-log.ts'
import type { Database } from '../store/sqlite/database.ts'
import type { KeptJournal } from '../store/sqlite/journal/kept.ts'
import { SqliteTimeFloor } from '../store/sqlite/time-floor.ts'
import { Timekeeper } from './timekeeper.ts'

/** The clock of a site. Detects that the machine's clock was set back or leapt ahead. Announces `clock.set_back`. */
export const timeRoom = defineRoom({
  name: 'time',
  open(needs: {
    /** The clock of the process. */
    given: SteadyClock
    /** A sign-in ends after this time without use, ms. */
    signInIdleMs: number
    database: Database
    journal: Pick<KeptJournal, 'append'>
    siteLog: SiteLog
    reserve: DiskReserve
    facts: JarvisFacts
  }) {
    const { given, database, journal, siteLog, reserve } = needs
    const setBack = needs.facts.teller('clock.set_back')
    const time = new Timekeeper(given, {
      floor: new SqliteTimeFloor(database, needs.signInIdleMs),
      isOpen: () => database.sql.open,
      durably: database.durably,
      record: (change) => journal.append('setup', change),
      log: (text, level) => siteLog.write(text, level),
      report: (error, message) => siteLog.report(error, message),
      holdReserve: reserve.hold,
      wentBack: () => setBack(undefined),
    })
    time.lookAtStart()
    return { time, clock: time.clock, start: () => time.watch(), close: () => time.keep() }
  },
})

import type { SteadyClock } from './lib/steady-clock.ts'
import type { LogParts } from './log/room.ts'
import type { StoreParts } from './store/room.ts'
import type { KeptJournal } from './store/sqlite/journal/kept.ts'

/** Parts of the first rooms of a site. A room names the ones that it uses: `Pick<Foundation, 'database' | 'now'>`. */
export type Foundation = StoreParts &
  LogParts & {
    journal: KeptJournal
    clock: SteadyClock
    /** Unix ms. */
    now(): number
    /** Aborts when the site takes no more work. */
    stopping: AbortSignal
    isStopping(): boolean
  }

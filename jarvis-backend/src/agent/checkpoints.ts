import type { Clock } from '../lib/clock.ts'
import type { ActiveRun } from './active-run.ts'
import type { TranscriptStore } from './sessions/transcript-store.ts'

/** How often streaming text is stored. */
const everyMs = 1_000

/** Stores all answers that grew in one transaction, so that a restart loses at most a second of text. */
export function createCheckpoints(parts: {
  store: TranscriptStore
  clock: Clock
  report(error: unknown, message: string): void
}): (run: ActiveRun) => void {
  const { store, clock, report } = parts
  const grown = new Set<ActiveRun>()

  function write() {
    // A stopped run has stored its text, and an ended turn has none.
    const due = [...grown].filter((run) => run.partial.text !== '' && !run.modelAbort.signal.aborted)
    grown.clear()
    if (due.length === 0) return
    try {
      store.atomically(() => {
        for (const run of due) store.savePartial(run.row.id, run.partial.text)
      })
      for (const run of due) run.isPartialSaved = true
    } catch (error) {
      report(error, 'partial answers could not be kept')
    }
  }

  return (run) => {
    if (grown.size === 0) clock.after(everyMs, write)
    grown.add(run)
  }
}

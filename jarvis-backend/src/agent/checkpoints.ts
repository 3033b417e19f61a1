import type { Clock } from '../lib/clock.ts'
import type { ActiveRun } from './active-run.ts'
import type { TranscriptStore } from './sessions/transcript-store.ts'

/** How often what streams is written down. */
const everyMs = 1_000

/** Told of each run whose answer grew; writes them all down in one transaction, so that a restart loses a second at most. */
export function createCheckpoints(parts: {
  store: TranscriptStore
  clock: Clock
  report(error: unknown, message: string): void
}): (run: ActiveRun) => void {
  const { store, clock, report } = parts
  const grown = new Set<ActiveRun>()

  function write() {
    // Who was stopped has kept what it had, and a turn that has ended left nothing.
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

import { setMaxListeners } from 'node:events'
import type { ActiveRun } from './sessions/live-session.ts'
import type { RunRow, StoredEntry } from './sessions/transcript-store.ts'

/** A run that begins. @param taken its entries, where it is taken up again */
export const activeRun = (
  row: RunRow & { position: number; partial?: string },
  taken: StoredEntry[] = [],
): ActiveRun => ({
  row,
  entries: taken,
  isOver: false,
  effort: null,
  abort: runAbort(),
  modelAbort: new AbortController(),
  abortedBy: 'jarvis',
  partial: { text: row.partial ?? '', thinking: '' },
  isPartialSaved: false,
  progress: {},
  ended: Promise.resolve(),
})

/** Each call that waits or runs listens, and an answer may hold many. */
function runAbort(): AbortController {
  const abort = new AbortController()
  setMaxListeners(0, abort.signal)
  return abort
}

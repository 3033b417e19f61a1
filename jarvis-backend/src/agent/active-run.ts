import { setMaxListeners } from 'node:events'
import type { Effort } from '../protocol/index.ts'
import type { ToolSpec } from './model.ts'
import type { Origin } from './origin.ts'
import { type Principal, principalOf } from './principal.ts'
import type { RunRow, StoredEntry } from './sessions/transcript-store.ts'

/** By what a run goes, from its beginning on: a model's thinking may not go on under other instructions. */
export type RunProfile = {
  prompt: string
  tools: readonly ToolSpec[]
  /** How much the model thinks; absent: as the settings say. */
  effort?: Effort
  /** Runs of history sent to the model; model calls in this run. */
  limits: { history: number; turns: number }
}

/** What only exists while a run goes on, for screens that join in the middle. */
export type ActiveRun = {
  row: RunRow & { position: number }
  origin: Origin
  principal: Principal
  /** Made when the run begins, so that what waits in the queue goes by what is set when its turn comes. */
  profile?: RunProfile
  entries: StoredEntry[]
  /** Its end is stored, or in the transaction that goes on. */
  isOver: boolean
  /** What the model is told of the runs before, read once. */
  earlier?: StoredEntry[]
  /** Stopped by a person: nothing of it goes on. */
  abort: AbortController
  /** Ends the model's stream alone: with `abort`, or when the server goes down and takes the run up again later. */
  modelAbort: AbortController
  abortedBy: string
  /** Shows its first entries, where they were stored with the message. */
  show?: () => void
  partial: { text: string; thinking: string }
  /** Whether some of it has been written down. */
  isPartialSaved: boolean
  progress: Record<string, string>
  notice?: { message: string; retryAt?: number }
  ended: Promise<void>
}

/** A run that begins. @param taken its entries, where it is taken up again */
export const activeRun = (
  row: RunRow & { position: number; partial?: string },
  origin: Origin,
  taken: StoredEntry[] = [],
): ActiveRun => ({
  row,
  origin,
  principal: principalOf(origin),
  entries: taken,
  isOver: false,
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

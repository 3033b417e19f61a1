import { setMaxListeners } from 'node:events'
import type { Effort } from 'protocol'
import type { AnswerFormat, ToolChoice, ToolSpec } from './model.ts'
import type { Origin } from './origin.ts'
import type { RunRow, StoredEntry } from './sessions/transcript-store.ts'

/** What a run uses to its end: a model's thinking must not continue under other instructions. */
export type RunProfile = {
  prompt: string
  tools: readonly ToolSpec[]
  /** How much the model thinks; absent: as the settings say. */
  effort?: Effort
  /** Sent where the model takes it. */
  temperature?: number
  /** Most tokens of each reply; absent: as the model's settings say. */
  mostTokens?: number
  /** What a program wants of the answer. */
  toolChoice?: ToolChoice
  format?: AnswerFormat
  /** Runs of history sent to the model; model calls in this run. */
  limits: { history: number; turns: number }
}

/** The state of a run in progress, also for screens that join in the middle. */
export type ActiveRun = {
  row: RunRow & { position: number }
  origin: Origin
  /** The agent in whose name it acts: its session's, or of a child run the one that was asked. */
  agent: string
  /** Made when the run begins, so that what waits in the queue goes by what is set when its turn comes. */
  profile?: RunProfile
  /** Ids of the models that failed in this run, and the one that answers in their place. Forgotten at a restart. */
  failed?: { models: string[]; standIn: string }
  entries: StoredEntry[]
  /** Whether its end is stored, or part of the open transaction. */
  isOver: boolean
  /** Entries of earlier runs that the model is told, read once after each fold. */
  earlier?: StoredEntry[]
  /** The last call of each lock: changes to one thing run one after the other, in a run and in its child runs. */
  locks: Map<string, Promise<void>>
  /** Aborts when a person stops the run. */
  abort: AbortController
  /** Ends the model's stream alone: with `abort`, or when the server stops and the next start resumes the run. */
  modelAbort: AbortController
  abortedBy: string
  /** Why JARVIS stopped it: whoever asked may not ask any more. */
  endedBecause?: string
  /** Shows its first entries, where they were stored with the message. */
  show?: () => void
  partial: { text: string; thinking: string }
  /** Whether part of the streaming text is stored. */
  isPartialSaved: boolean
  progress: Record<string, string>
  notice?: { message: string; retryAt?: number }
  ended: Promise<void>
}

/** A run that begins. @param agent its session's @param taken its entries, where it is taken up again */
export const activeRun = (
  row: RunRow & { position: number; partial?: string },
  origin: Origin,
  agent: string,
  taken: StoredEntry[] = [],
): ActiveRun => ({
  row,
  origin,
  agent: origin.kind === 'child' ? origin.agent : agent,
  entries: taken,
  isOver: false,
  locks: new Map(),
  abort: runAbort(),
  modelAbort: new AbortController(),
  abortedBy: 'jarvis',
  partial: { text: row.partial ?? '', thinking: '' },
  isPartialSaved: false,
  progress: {},
  ended: Promise.resolve(),
})

/** Each call of an answer listens to the signal, and there may be many. */
function runAbort(): AbortController {
  const abort = new AbortController()
  setMaxListeners(0, abort.signal)
  return abort
}

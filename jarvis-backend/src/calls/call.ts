import type { Sources } from '../gate/taint/taint.ts'
import type { Entry, Requester } from '../protocol/index.ts'
import type { Judgement } from './judge.ts'

type Place = 'seq' | 'runId' | 'at'
/** What a call adds to its session's transcript. */
export type CallEntry = Entry extends infer E
  ? E extends { type: 'tool_use' | 'tool_result' | 'confirm_needed' | 'confirm_resolved' | 'blocked' }
    ? Omit<E, Place>
    : never
  : never

export type ReadContext = {
  sessionId: string
  runId: string
  requestedBy: Requester
  /** Aborted: a call that waits is withdrawn, one that runs is no longer waited for. */
  signal: AbortSignal
  append(entry: CallEntry): void
  progress(toolUseId: string, message: string): void
}

export type CallContext = ReadContext & {
  /** Who aborted, for the record. */
  abortedBy(): string
  /** Settles when the earlier changes to the same guest have; a change starts only then. */
  before: Promise<unknown> | undefined
  /** The session is a rehearsal now: what would change something is described and not run. */
  isRehearsal(): boolean
  /** What the one who asks had read; asked for only where a change is judged. */
  sources(): Sources
}

/** A call that the gate lets through, at once or after a decision. */
export type Ready = Extract<Judgement, { kind: 'ready' }>

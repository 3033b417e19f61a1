import type { Entry, Requester } from '../protocol/index.ts'
import type { Judgement } from './judge.ts'

type Place = 'seq' | 'runId' | 'at'
/** What a call adds to its session's transcript. */
export type CallEntry = Entry extends infer E
  ? E extends { type: 'tool_use' | 'tool_result' | 'confirm_needed' | 'confirm_resolved' | 'blocked' }
    ? Omit<E, Place>
    : never
  : never

export type CallContext = {
  sessionId: string
  runId: string
  requestedBy: Requester
  /** Aborted: a call that waits is withdrawn, one that runs is no longer waited for. */
  signal: AbortSignal
  /** Who aborted, for the record. */
  abortedBy(): string
  append(entry: CallEntry): void
  progress(toolUseId: string, message: string): void
  /** Settles when the earlier changes to the same guest have; a change starts only then. */
  before: Promise<unknown> | undefined
}

/** A call that the gate lets through, at once or after a decision. */
export type Ready = Extract<Judgement, { kind: 'ready' }>

/** Why a call that was in order when it was asked is not any more. */
export const driftOf = (current: Judgement) =>
  current.kind === 'invalid'
    ? `The target has changed since: ${current.message}`
    : current.kind === 'blocked'
      ? `The rules refuse it now: ${current.verdict.reason}`
      : 'The target is no longer what it was when this was asked.'

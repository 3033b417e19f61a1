import type { Effort, EntryOf, SessionSource, SessionSummary } from 'protocol'
import type { StoredOrigin } from '../origin.ts'
import type { Spent } from '../spent.ts'
import type { StoredEntry } from './entries.ts'
import type { Member } from './versions.ts'

export type { Draft, Given, StoredEntry } from './entries.ts'

export type RunRow = {
  id: string
  sessionId: string
  origin: StoredOrigin
  /** `stopping`: a person stopped it, and it has not yet ended. */
  status: 'queued' | 'running' | 'stopping'
  at: number
  /** Of a queued run: who stopped the session while it waited. It begins only when its message is sent again. */
  heldBy?: string
}
/** `position`: how many runs of the session came before. `partial`: what had streamed of an unfinished turn. */
export type StoredRun = RunRow & { position: number; partial: string }

/** A run that a call of another run began. */
export type ChildRun = Pick<RunRow, 'id' | 'sessionId' | 'at'> & { parent: string; isEnded: boolean }

/** What the loop keeps. Every method is synchronous: the store is on this machine. */
export interface TranscriptStore {
  /** @param session.agent absent: `main` */
  /** `person`: whose it is; absent: the first owner's. */
  createSession(session: {
    id: string
    title: string
    source: SessionSource
    agent?: string
    at: number
    person?: string
  }): void
  session(id: string): StoredSession | undefined
  /** The session and all that hold versions of its messages, in no order. Empty: there is no such session. */
  family(id: string): Member[]
  renameSession(id: string, title: string): void
  setRehearsal(id: string, isRehearsal: boolean): void
  /** `at` undefined: not archived any more. */
  archiveSession(id: string, at: number | undefined): void
  /** `model` undefined: the one in use. */
  setModel(id: string, model: string | undefined): void
  /** `effort` undefined: as the settings say. */
  setEffort(id: string, effort: Effort | undefined): void
  /**
   * Makes a session of what lies below a seq of another: each run that had ended there as an ended run of its own, with the
   * same seqs; of `cut`, a run that had not, what lies below. @returns the new id of `cut`.
   */
  copySession(copy: SessionCopy): string | undefined
  deleteSession(id: string): void
  /** Sets the bound below which every seq of the session lies. */
  reserveSeq(sessionId: string, nextSeq: number, at: number): void

  /** @returns its position. @throws where a call began that already began a run */
  addRun(run: RunRow): number
  /** The run that this call began, ended or not. */
  runOfCall(toolUseId: string): ChildRun | undefined
  /** The child runs of a session, or of one of its runs, in the order they began. */
  childRuns(sessionId: string, parent?: string): ChildRun[]
  /** Unfinished runs of a session in the order they came, or of all sessions. */
  unfinishedRuns(sessionId?: string): StoredRun[]
  /** An ended run's text and partial text are dropped: its entries hold them. */
  setRunStatus(runId: string, status: 'running' | 'stopping' | 'ended'): void
  savePartial(runId: string, text: string): void
  /** Holds a queued run, so that it does not begin with its turn. @param by who stopped the session; undefined: it is held no longer */
  hold(runId: string, by: string | undefined): void
  /** @returns false when the run is no longer queued. */
  removeQueued(runId: string): boolean

  append(sessionId: string, entry: StoredEntry): void
  entry(sessionId: string, seq: number): StoredEntry | undefined
  entriesOfRun(runId: string): StoredEntry[]
  /** The list that the model of a session set last, child runs left out. Costs the same however long the session is. */
  newestTodo(sessionId: string): EntryOf<'plan'> | undefined
  /** Up to `limit` entries from a seq on, oldest first. */
  entriesFrom(sessionId: string, from: number, limit: number): StoredEntry[]
  /** The entries of the newest `runs` runs, of all types or of `types`. Costs the same however long the session is. */
  newestRuns(sessionId: string, runs: number, types?: readonly StoredEntry['type'][]): StoredEntry[]
  /** The folds of a session, newest first: at most the newest 20. Costs the same however long the session is. */
  folds(sessionId: string): EntryOf<'compaction'>[]
  /** The result of a call in a session, and the run it was made in. */
  resultOf(sessionId: string, toolUseId: string): EntryOf<'tool_result'> | undefined
  /** All entries of a session of `types`, in order. Takes longer the longer the session is. */
  entriesOfTypes(sessionId: string, types: readonly StoredEntry['type'][]): StoredEntry[]
  /** The newest `limit` entries with `seq < before`, oldest first, wherever that cuts a run. */
  pageBefore(sessionId: string, before: number, limit: number): { items: StoredEntry[]; hasEarlier: boolean }
  /** Up to about `limit` entries with `seq < before`, oldest first, cut at the start of a run. */
  entriesBefore(sessionId: string, before: number, limit: number): { items: StoredEntry[]; hasEarlier: boolean }

  /** The first reply given to a request, where it is a repetition. */
  replyTo(kind: string, by: string, requestId: string): unknown
  rememberReply(kind: string, by: string, requestId: string, reply: unknown, at: number): void
  /** Drops replies older than `before`. */
  forgetReplies(before: number): void
  atomically<T>(work: () => T): T
  /** As `Transactions.untilFree`. */
  untilFree(forever?: 'forever'): Promise<void> | undefined
  /** Soon, in one transaction with others. @returns what it returns, once it is committed. */
  together<T>(work: () => T): Promise<T>
  /** How many transactions were rolled back so far. */
  undone(): number
  /** Whether a transaction is open. */
  isInTransaction(): boolean
}

/** `agent`: the agent that it belongs to, for good. */
export type StoredSession = Omit<SessionSummary, 'isRunning' | 'pendingCount' | 'agent' | keyof Spent | 'found'> & {
  nextSeq: number
  agent: string
}

/** `entry`: what is shown as the place of the branch. `versionOf`: the session beside whose message there this one's stands. */
export type SessionCopy = {
  from: string
  id: string
  title: string
  below: number
  entry: number
  nextSeq: number
  cut?: string
  versionOf?: string
  model?: string
  /** Absent: `chat`. */
  source?: SessionSource
  at: number
}

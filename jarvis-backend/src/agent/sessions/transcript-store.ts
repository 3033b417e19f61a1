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
  /** `stopping`: the run was stopped, and has not ended yet. */
  status: 'queued' | 'running' | 'stopping'
  at: number
  /** Set if a queued run is held: the person who stopped the session while the run waited. The run begins only if its message is sent again. */
  heldBy?: string
}
/** A stored run. `position`: how many runs of the session came before. `partial`: the streamed text of an unfinished turn. */
export type StoredRun = RunRow & { position: number; partial: string }

/** A run that a call of another run began. */
export type ChildRun = Pick<RunRow, 'id' | 'sessionId' | 'at'> & { parent: string; isEnded: boolean }

/** Stores sessions, runs and entries. Every method except `together` is synchronous, because the store is on this machine. */
export interface TranscriptStore {
  /** Creates a session. @param session.agent undefined: `main`. @param session.person the session’s owner; undefined: the first owner */
  createSession(session: {
    id: string
    title: string
    source: SessionSource
    agent?: string
    at: number
    person?: string
  }): void
  session(id: string): StoredSession | undefined
  /** Returns the session and all sessions with other versions of its messages, in no order. Empty if the session does not exist. */
  family(id: string): Member[]
  renameSession(id: string, title: string): void
  setRehearsal(id: string, isRehearsal: boolean): void
  /** Archives a session. @param at undefined: takes the session out of the archive */
  archiveSession(id: string, at: number | undefined): void
  /** Sets the session’s model. @param model undefined: the model in use */
  setModel(id: string, model: string | undefined): void
  /** Sets the session’s effort. @param effort undefined: the effort in the settings */
  setEffort(id: string, effort: Effort | undefined): void
  /**
   * Creates a session from the entries of another one that have a `seq` below `below`, with the same `seq` values. Each run that had ended by then
   * becomes an ended run of the new session. The run `cut`, which had not ended by then, keeps only its entries below `below`. @returns the new id
   * of `cut`
   */
  copySession(copy: SessionCopy): string | undefined
  deleteSession(id: string): void
  /** Sets an upper bound for the session’s `seq` values; all of them are lower. */
  reserveSeq(sessionId: string, nextSeq: number, at: number): void

  /** Stores a run. @returns its position in the session. @throws Error if the call that starts this run has already started one */
  addRun(run: RunRow): number
  /** Returns the run that this call started, even if the run has ended. */
  runOfCall(toolUseId: string): ChildRun | undefined
  /** Returns the child runs of a session, or only those of the run `parent`, in the order in which they began. */
  childRuns(sessionId: string, parent?: string): ChildRun[]
  /** Returns the unfinished runs of a session, or of all sessions, in the order in which they were added. */
  unfinishedRuns(sessionId?: string): StoredRun[]
  /** Sets a run’s status. For an ended run, also deletes the text and partial text in its row, because its entries hold them. */
  setRunStatus(runId: string, status: 'running' | 'stopping' | 'ended'): void
  savePartial(runId: string, text: string): void
  /** Holds a queued run, so that it does not begin when its turn comes. @param by the person who stopped the session; undefined: ends the hold */
  hold(runId: string, by: string | undefined): void
  /** Removes a queued run. @returns false if the run is no longer queued */
  removeQueued(runId: string): boolean

  append(sessionId: string, entry: StoredEntry): void
  entry(sessionId: string, seq: number): StoredEntry | undefined
  entriesOfRun(runId: string): StoredEntry[]
  /** Returns the list that the model of a session set last, ignoring lists of child runs. Takes the same time however long the session is. */
  newestTodo(sessionId: string): EntryOf<'plan'> | undefined
  /** Returns up to `limit` entries with a `seq` of at least `from`, oldest first. */
  entriesFrom(sessionId: string, from: number, limit: number): StoredEntry[]
  /** The entries of the newest `runs` runs, of all types or of `types`. Takes the same time however long the session is. */
  newestRuns(sessionId: string, runs: number, types?: readonly StoredEntry['type'][]): StoredEntry[]
  /** The newest 20 folds of a session, newest first. Takes the same time however long the session is. */
  folds(sessionId: string): EntryOf<'compaction'>[]
  /** Returns the result entry of a call in a session; its `runId` is the run that made the call. */
  resultOf(sessionId: string, toolUseId: string): EntryOf<'tool_result'> | undefined
  /** All entries of a session of `types`, in order. Takes longer the longer the session is. */
  entriesOfTypes(sessionId: string, types: readonly StoredEntry['type'][]): StoredEntry[]
  /** Returns the newest `limit` entries with `seq < before`, oldest first. The page may begin in the middle of a run. */
  pageBefore(sessionId: string, before: number, limit: number): { items: StoredEntry[]; hasEarlier: boolean }
  /** Returns about `limit` entries with `seq < before`, oldest first. The page begins at the start of a run. */
  entriesBefore(sessionId: string, before: number, limit: number): { items: StoredEntry[]; hasEarlier: boolean }

  /** The reply that was given to an earlier request with the same id. */
  replyTo(kind: string, by: string, requestId: string): unknown
  rememberReply(request: { kind: string; by: string; requestId: string }, reply: unknown, at: number): void
  /** Deletes replies older than `before`, Unix ms. */
  forgetReplies(before: number): void
  atomically<T>(work: () => T): T
  /** As `Transactions.untilFree`. */
  untilFree(forever?: 'forever'): Promise<void> | undefined
  /** Runs the work soon, in one transaction with other work. @returns the work's value, once it is committed */
  together<T>(work: () => T): Promise<T>
  /** How many transactions were rolled back so far. */
  undone(): number
  /** True if a transaction is open. */
  isInTransaction(): boolean
}

/** A stored session. `agent`: the agent to which the session belongs; it never changes. */
export type StoredSession = Omit<SessionSummary, 'isRunning' | 'pendingCount' | 'agent' | keyof Spent | 'found'> & {
  nextSeq: number
  agent: string
}

/** A new branch. `entry`: the entry at which the branch is shown. `versionOf`: the session that has the other version of the message at `entry`. */
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
  /** The source of the new session; undefined: `chat`. */
  source?: SessionSource
  at: number
}

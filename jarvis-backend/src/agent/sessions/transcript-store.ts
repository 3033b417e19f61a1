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
  /** For a queued run: the person who stopped the session while the run waited. The run begins only when its message is sent again. */
  heldBy?: string
}
/** A run of the store. `position`: how many runs of the session came before. `partial`: the streamed text of an unfinished turn. */
export type StoredRun = RunRow & { position: number; partial: string }

/** A run that a call of another run began. */
export type ChildRun = Pick<RunRow, 'id' | 'sessionId' | 'at'> & { parent: string; isEnded: boolean }

/** The store of sessions, runs and entries. Every method but `together` is synchronous: the store is on this machine. */
export interface TranscriptStore {
  /** @param session.agent absent: `main`. @param session.person the session's owner; absent: the first owner */
  createSession(session: {
    id: string
    title: string
    source: SessionSource
    agent?: string
    at: number
    person?: string
  }): void
  session(id: string): StoredSession | undefined
  /** The session and all sessions with versions of its messages, in no order. Empty: there is no such session. */
  family(id: string): Member[]
  renameSession(id: string, title: string): void
  setRehearsal(id: string, isRehearsal: boolean): void
  /** @param at undefined: the session is no longer archived */
  archiveSession(id: string, at: number | undefined): void
  /** @param model undefined: the model in use */
  setModel(id: string, model: string | undefined): void
  /** @param effort undefined: as the settings say */
  setEffort(id: string, effort: Effort | undefined): void
  /**
   * Makes a session of the entries below a seq of another one, with the same seqs. Each run that had ended there becomes an ended run of the new
   * session. `cut`, a run that had not ended there, keeps its entries below. @returns the new id of `cut`
   */
  copySession(copy: SessionCopy): string | undefined
  deleteSession(id: string): void
  /** Sets the bound below which every seq of the session lies. */
  reserveSeq(sessionId: string, nextSeq: number, at: number): void

  /** @returns its position. @throws Error if the call that begins this run has already begun one */
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
  /** The list that the model of a session set last, child runs left out. Takes the same time however long the session is. */
  newestTodo(sessionId: string): EntryOf<'plan'> | undefined
  /** Up to `limit` entries from a seq on, oldest first. */
  entriesFrom(sessionId: string, from: number, limit: number): StoredEntry[]
  /** The entries of the newest `runs` runs, of all types or of `types`. Takes the same time however long the session is. */
  newestRuns(sessionId: string, runs: number, types?: readonly StoredEntry['type'][]): StoredEntry[]
  /** The newest 20 folds of a session, newest first. Takes the same time however long the session is. */
  folds(sessionId: string): EntryOf<'compaction'>[]
  /** The result of a call in a session, and the run it was made in. */
  resultOf(sessionId: string, toolUseId: string): EntryOf<'tool_result'> | undefined
  /** All entries of a session of `types`, in order. Takes longer the longer the session is. */
  entriesOfTypes(sessionId: string, types: readonly StoredEntry['type'][]): StoredEntry[]
  /** The newest `limit` entries with `seq < before`, oldest first. The page may begin within a run. */
  pageBefore(sessionId: string, before: number, limit: number): { items: StoredEntry[]; hasEarlier: boolean }
  /** Up to about `limit` entries with `seq < before`, oldest first, cut at the start of a run. */
  entriesBefore(sessionId: string, before: number, limit: number): { items: StoredEntry[]; hasEarlier: boolean }

  /** The reply that was given to an earlier request with the same id. */
  replyTo(kind: string, by: string, requestId: string): unknown
  rememberReply(request: { kind: string; by: string; requestId: string }, reply: unknown, at: number): void
  /** Drops replies older than `before`. */
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

/** A session of the store. `agent`: the agent that the session belongs to; it never changes. */
export type StoredSession = Omit<SessionSummary, 'isRunning' | 'pendingCount' | 'agent' | keyof Spent | 'found'> & {
  nextSeq: number
  agent: string
}

/** A branch. `entry`: shown as the place of the branch. `versionOf`: the session with the other version of the message at that place. */
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

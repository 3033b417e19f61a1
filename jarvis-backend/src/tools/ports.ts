import type { Card, ConfirmationRow, Decision, Tier, ToolInput } from '../protocol/index.ts'

/** `seenAt`: when an operator's screen first had it. */
export type StoredConfirmation = { card: Card; sessionId: string; runId: string; bindingHash: string; seenAt?: number }
export type Resolution = { decision: Decision; by: string; note?: string; at: number }
/** The right to run one call, once. */
export type Claim = {
  toolUseId: string
  sessionId: string
  runId: string
  toolName: string
  /** Redacted: enough to look for what became of it. */
  toolInput: ToolInput
  tier: Tier
  bindingHash: string
  at: number
}

export interface ConfirmationStore {
  add(confirmation: StoredConfirmation): void
  get(toolUseId: string): (StoredConfirmation & { resolution?: Resolution }) | undefined
  /** Compare-and-set. @returns false when it was decided before. */
  resolve(toolUseId: string, resolution: Resolution): boolean
  pending(sessionId?: string): StoredConfirmation[]
  /** Those that no operator's screen has had yet. */
  unseen(sessionId?: string): StoredConfirmation[]
  see(toolUseId: string, at: number, expiresAt: number): void
  /** Pending ones, soonest to expire first, then those decided since `since`, newest first. */
  list(since: number): ConfirmationRow[]
  pendingCounts(): Map<string, number>
}

/** `unknown`: it may have run, and the cluster does not say. */
export type Outcome = 'done' | 'failed' | 'unknown'
export type Execution = Pick<Claim, 'sessionId' | 'runId' | 'toolName' | 'toolInput'> & {
  startedAt: number
  upid?: string
  outcome?: Outcome
}

export interface ExecutionStore {
  /** @throws when the call was claimed before: a call never runs twice. */
  claim(claim: Claim): void
  get(toolUseId: string): Execution | undefined
  /** The cluster's task, once it is known. */
  noteTask(toolUseId: string, upid: string): void
  settle(toolUseId: string, at: number, outcome: Outcome): void
  /** Other calls on that guest: the tasks known to be theirs, and how many have none and no certain outcome. */
  others(toolUseId: string): { upids: ReadonlySet<string>; open: number }
}

/** The tamper-evident record. `body` is redacted before it gets here. */
export interface Journal {
  append(kind: JournalKind, body: Record<string, unknown>): void
}
export type JournalKind =
  | 'call'
  | 'refusal'
  | 'decision'
  | 'execution'
  | 'result'
  | 'sign_in'
  | 'token'
  | 'session'
  | 'restore'
  | 'prune'

export interface Transactions {
  atomically<T>(work: () => T): T
  /** On disk before it returns. */
  durably<T>(work: () => T): T
  /** Calls `run` once the transaction that is open has been committed; at once where none is. */
  afterCommit(run: () => void): void
}

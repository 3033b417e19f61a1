import type { Card, ConfirmationRow, Decision, Tier } from '../protocol/index.ts'

export type StoredConfirmation = { card: Card; sessionId: string; runId: string; bindingHash: string }
export type Resolution = { decision: Decision; by: string; note?: string; at: number }
/** The right to run one call, once. */
export type Claim = {
  toolUseId: string
  sessionId: string
  toolName: string
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
  /** Pending ones, soonest to expire first, then those decided since `since`, newest first. */
  list(since: number): ConfirmationRow[]
  pendingCounts(): Map<string, number>
}

export interface ExecutionStore {
  /** @throws when the call was claimed before: a call never runs twice. */
  claim(claim: Claim): void
  isClaimed(toolUseId: string): boolean
  settle(toolUseId: string, at: number, isError: boolean): void
}

/** The tamper-evident record. `body` is redacted before it gets here. */
export interface Journal {
  append(kind: JournalKind, body: Record<string, unknown>): void
}
export type JournalKind = 'call' | 'refusal' | 'decision' | 'execution' | 'result' | 'sign_in' | 'token'

export interface Transactions {
  atomically<T>(work: () => T): T
  /** On disk before it returns. */
  durably<T>(work: () => T): T
  /** Calls `run` once the transaction that is open has been committed; at once where none is. */
  afterCommit(run: () => void): void
}

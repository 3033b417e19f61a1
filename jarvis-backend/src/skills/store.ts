import type { SkillFile } from 'protocol'

/** A file of the approved tree. `text`: absent where it is none. */
export type ApprovedFile = Pick<SkillFile, 'path' | 'kind' | 'bytes' | 'hash'> & { text?: string }

/** What an operator approved. Times in Unix ms. */
export type StoredApproval = {
  name: string
  /** Of the tree. */
  hash: string
  at: number
  by: string
  /** Somebody turned it off since. */
  off?: { at: number; by: string }
}

export type SkillUse = { at: number; sessionId: string }

/** Keeps which trees of skills were approved, with their texts, and when each was used last. */
export interface SkillStore {
  /** By name. */
  approvals(): Map<string, StoredApproval>
  /** The files of the approved tree; empty where nothing was approved. */
  files(name: string): ApprovedFile[]
  /** Replaces what was approved under this name. */
  approve(approval: StoredApproval, files: readonly ApprovedFile[]): void
  /** Keeps the tree for comparison; no-op where nothing was approved. */
  turnOff(name: string, off: { at: number; by: string }): void
  remove(name: string): void
  /** No-op where nothing was approved. */
  used(name: string, use: SkillUse): void
  uses(): Map<string, SkillUse>
}

import type { SkillFile } from 'protocol'

/** A file of the approved tree. `text`: absent for a file that is no text. */
export type ApprovedFile = Pick<SkillFile, 'path' | 'kind' | 'bytes' | 'hash'> & { text?: string }

/** An operator's approval of a skill. Times in Unix ms. */
export type StoredApproval = {
  name: string
  /** The hash of the tree. */
  hash: string
  at: number
  by: string
  /** Somebody turned it off since. */
  off?: { at: number; by: string }
}

export type SkillUse = { at: number; sessionId: string }

/** Keeps the approved trees of skills with their texts, and the last use of each skill. */
export interface SkillStore {
  /** By name. */
  approvals(): Map<string, StoredApproval>
  /** The files of the approved tree; empty if nothing was approved. */
  files(name: string): ApprovedFile[]
  /** Replaces an earlier approval of this name. */
  approve(approval: StoredApproval, files: readonly ApprovedFile[]): void
  /** Turns a skill off, and keeps the tree for comparison. No-op if nothing was approved. */
  turnOff(name: string, off: { at: number; by: string }): void
  remove(name: string): void
  /** Notes a use. No-op if nothing was approved. */
  used(name: string, use: SkillUse): void
  uses(): Map<string, SkillUse>
}

import type { SkillFile } from 'protocol'

/** A file of the approved tree. `text`: undefined for a file that is not text. */
export type ApprovedFile = Pick<SkillFile, 'path' | 'kind' | 'bytes' | 'hash'> & { text?: string }

/** An operator's approval of a skill. Times in Unix ms. */
export type StoredApproval = {
  name: string
  /** The hash of the tree. */
  hash: string
  at: number
  by: string
  /** Set if a person turned the skill off after the approval. */
  off?: { at: number; by: string }
}

export type SkillUse = { at: number; sessionId: string }

/** Stores the approved trees of skills with their texts, and the last use of each skill. */
export interface SkillStore {
  /** Returns all approvals, by the skill’s name. */
  approvals(): ReadonlyMap<string, StoredApproval>
  /** The files of the approved tree; empty if nothing was approved. */
  files(name: string): ApprovedFile[]
  /** Stores an approval. Replaces an earlier approval of the same name. */
  approve(approval: StoredApproval, files: readonly ApprovedFile[]): void
  /** Turns a skill off. The tree stays stored, so that it can be compared with a later one. No-op if nothing was approved. */
  turnOff(name: string, off: { at: number; by: string }): void
  remove(name: string): void
  /** Stores a use. No-op if nothing was approved. */
  used(name: string, use: SkillUse): void
  uses(): Map<string, SkillUse>
}

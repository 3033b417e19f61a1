import type { OpenDrill, RestoreProof } from 'protocol'
import type { Step } from './steps.ts'

/** A restore drill. `at` and `endedAt`: Unix ms. Its row claims the copy's vmid, and is on disk before the restore is requested. */
export type Drill = Omit<RestoreProof, 'verdict'> & {
  step: Step
  /** `stopped`: the drill says nothing about the backup. */
  verdict: 'open' | 'proven' | 'failed' | 'stopped'
  /** The copy's vmid. */
  copy: number
  node: string
  storage: string
  /** The UPID of the restore task, once it is known. */
  upid?: string
  /** A sentence about things that remain, or may remain, and that a person must look at. */
  left?: string
  endedAt?: number
}

export interface DrillStore {
  /** Stores a new drill. @returns false if another drill has not ended */
  begin(drill: Drill): boolean
  save(drill: Drill): void
  /** The drill that has not ended; undefined if there is none. */
  open(): Drill | undefined
  /** The copy's vmid of the drill that began last. */
  lastCopy(): number | undefined
  /** The newest drill with a verdict, for each guest or for one guest, newest first. */
  proofs(vmid?: number): Drill[]
}

/** The mark in the description of a copy. It contains the drill's id, which cannot be guessed, so no other guest has the mark by chance. */
export const markOf = ({ id, vmid }: Pick<Drill, 'id' | 'vmid'>): string => `${markStart}${id} of ${vmid}`
const markStart = 'JARVIS restore drill '
/** Returns true if a description marks a guest as the copy of a drill. Such a guest is destroyed without asking. */
export const isMarked = (description: string): boolean => description.includes(markStart.trim())

export const levelWords: Record<number, string> = {
  1: 'fresh',
  2: 'verified',
  3: 'its configuration can be read',
  4: 'restored',
  5: 'booted',
  6: 'an app answers',
}

export function proofOf({ step: _, copy: __, node: ___, storage: ____, upid: _____, ...drill }: Drill): RestoreProof {
  const { left: ______, endedAt, verdict, ...proof } = drill
  return { ...proof, at: endedAt ?? proof.at, verdict: verdict === 'proven' ? 'proven' : 'failed' }
}

export const openDrill = ({ id, vmid, copy, node, step, at, problem, left }: Drill): OpenDrill => ({
  id,
  vmid,
  copy,
  node,
  step,
  at,
  ...((left ?? problem) !== undefined && { problem: left ?? problem }),
})

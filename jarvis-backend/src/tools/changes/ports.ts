import type { Change, Guest, Principal } from 'protocol'
import { type Tool, toolOver, type Undo } from '../tool.ts'

/** A recorded change, with the call that takes it back. */
export type Recorded = Pick<Change, 'id' | 'state' | 'target' | 'undoes' | 'at'> & {
  undo: Undo
  makes?: number
  endedAt?: number
}

/** The parts that the tools over changes act through. */
export interface ChangePorts {
  /** The changes that the asker may see. */
  list(query: { target?: string; limit: number }, asker: Principal | undefined): Change[]
  changeOf(id: string): Recorded | undefined
  toolOf(name: string): Tool | undefined
  /** The guests that exist in the cluster now. */
  guests(): readonly Guest[]
  /** Unix ms. */
  now(): number
}

export const changeTool = toolOver<ChangePorts>()

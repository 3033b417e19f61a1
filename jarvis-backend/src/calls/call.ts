import type { CallContext } from '../agent/tool-runner.ts'
import type { ToolCall } from '../protocol/index.ts'
import type { Reservation } from './confirmations/grants.ts'
import type { Judgement } from './judge.ts'
import type { StoredConfirmation } from './ports.ts'
import type { State } from './states.ts'

export type { CallContext }

/** A call that the gate lets through, at once or after a decision. */
export type Ready = Extract<Judgement, { kind: 'ready' }>

/** A call on its way through `states.ts`. */
export type Way = {
  state: State
  call: ToolCall
  /** Absent while a card is decided whose run is not taken up yet. */
  context: CallContext | undefined
  /** No earlier change to the same thing goes first, or none does any more. */
  isNext?: boolean
  /** The newest card. */
  asked?: StoredConfirmation
  /** The verdict that the call goes on with, and the use of a grant that was set aside for it. */
  ready?: Ready
  reservation?: Reservation | undefined
}

/** A step came without what it writes. */
export function missing(): never {
  throw new Error('A step of a call lacks what it needs.')
}

import type { ToolCall } from 'protocol'
import type { CallContext } from '../agent/tool-runner.ts'
import type { Reservation } from './confirmations/grants.ts'
import type { Ready } from './judgement.ts'
import type { Execution, StoredConfirmation } from './ports.ts'
import type { Done } from './run-tool.ts'
import type { State } from './states.ts'

export type { CallContext }

/** The principal that asks for a call, with the session of the call. */
export const askerOf = ({ principal, sessionId }: Pick<CallContext, 'principal' | 'sessionId'>) => ({
  ...principal,
  sessionId,
})

/** A call on its way through `states.ts`. */
export type Way = {
  state: State
  call: ToolCall
  /** Absent while a card is decided before its run was resumed. */
  context: CallContext | undefined
  /** True when no earlier change to the same thing is left to wait for. */
  isNext?: boolean
  /** The newest card. */
  asked?: StoredConfirmation
  /** The verdict that the call continues with, and the grant use reserved for it. */
  ready?: Ready
  reservation?: Reservation | undefined
}

/** A call of a run that is at work, with the values that its steps keep. */
export type Walk = Way & {
  context: CallContext
  /** The claim of an earlier process. */
  claimed?: Execution
  /** The outcome when the request was sent and no answer came. */
  lost?: Done
  /** True when the newest card was read from the store. */
  isTakenUp?: boolean
  /** True when the call waited since its verdict, so that the verdict may be out of date. */
  isLater?: boolean
}

/** Thrown when a step lacks the value that it must write. */
export function missing(): never {
  throw new Error('A step of a call lacks what it needs.')
}

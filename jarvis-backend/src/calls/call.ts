import type { ToolCall } from 'protocol'
import type { CallContext } from '../agent/tool-runner.ts'
import type { Reservation } from './confirmations/grants.ts'
import type { Judgement } from './judge.ts'
import type { Execution, StoredConfirmation } from './ports.ts'
import type { Done } from './run-tool.ts'
import type { State } from './states.ts'

export type { CallContext }

/** A call that the gate lets through, at once or after a decision. */
export type Ready = Extract<Judgement, { kind: 'ready' }>

/** Who asks for a call, and in which session. */
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
  /** Whether no earlier change to the same thing is left to wait for. */
  isNext?: boolean
  /** The newest card. */
  asked?: StoredConfirmation
  /** The verdict that the call continues with, and the grant use reserved for it. */
  ready?: Ready
  reservation?: Reservation | undefined
}

/** A call of a run that is at work, with what its steps keep. */
export type Walk = Way & {
  context: CallContext
  /** It was claimed by an earlier process. */
  claimed?: Execution
  /** The outcome when the request was sent and no answer came. */
  lost?: Done
  /** Its newest card was read from the store. */
  isTakenUp?: boolean
  /** Whether the call waited since its verdict, so that the verdict may be out of date. */
  isLater?: boolean
}

/** Thrown when a step lacks the value that it must write. */
export function missing(): never {
  throw new Error('A step of a call lacks what it needs.')
}

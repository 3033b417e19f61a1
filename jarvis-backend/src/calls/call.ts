import type { ToolCall } from 'protocol'
import type { CallContext } from '../agent/tool-runner.ts'
import type { Reservation } from './confirmations/grants.ts'
import type { AskedBy, Ready } from './judgement.ts'
import type { Execution, StoredConfirmation } from './ports.ts'
import type { Done } from './run-tool.ts'
import type { State } from './states.ts'

export type { CallContext }

/** The principal that asks for a call, with the session of the call. */
export const askerOf = ({ principal, sessionId }: Pick<CallContext, 'principal' | 'sessionId'>) => ({
  ...principal,
  sessionId,
})

/** The principal that asks for a call, and the texts that it had read. */
export const askedBy = (context: Pick<CallContext, 'principal' | 'sessionId' | 'sources'>): AskedBy => ({
  asker: askerOf(context),
  sources: context.sources,
})

/** A call and the values that its steps need, on its way through the states of `states.ts`. */
export type Way = {
  state: State
  call: ToolCall
  /** Undefined if a card is decided before its run was resumed. */
  context: CallContext | undefined
  /** True once no earlier change to the same target is pending. */
  isNext?: boolean
  /** The newest card of the call. */
  asked?: StoredConfirmation
  /** The verdict that the call continues with, and the grant use reserved for it. */
  ready?: Ready
  reservation?: Reservation | undefined
}

/** A call whose run is active, with the values that its steps keep. */
export type Walk = Way & {
  context: CallContext
  /** The claim, if an earlier process of JARVIS made it. */
  claimed?: Execution
  /** The outcome, if the request was sent and no answer came. */
  lost?: Done
  /** True if the newest card was read from the store. */
  isTakenUp?: boolean
  /** True if time has passed since the verdict, so that the verdict may be out of date. */
  isLater?: boolean
}

/** Thrown when a step lacks the value that it must write. */
export function missing(): never {
  throw new Error('A step of a call lacks what it needs.')
}

import type { PlanFacts, ToolInput } from 'protocol'
import type { Condition } from '../runbooks/expressions.ts'
import type { Procedure } from '../runbooks/procedure.ts'
import type { Whose } from '../tools/tool.ts'

/**
 * A request for a plan. `said`: a person’s text from which the procedure comes; undefined if the asker composed the procedure. `goal`, `criteria`:
 * the asker’s own words, which are only shown.
 */
export type Request = {
  /** The principal in whose name the plan is made; undefined: `main`. */
  whose?: Whose
  procedure: Procedure
  /** The hash of the text or of the calls from which the plan is made. */
  hash: string
  runbook?: string
  said?: string
  /** The person who last edited the text in `said`, if known. */
  writtenBy?: string | undefined
  goal?: string
  criteria?: string
  undoes?: PlanFacts['undoes']
  inputs: Record<string, unknown>
}

/** A check with all values filled in. */
export type PlannedCheck = { toolName: string; toolInput: ToolInput; until: Condition; withinMs: number }
/** A call of a plan's run, as its script keeps it. `after`: numbers of the steps that must have gone as planned. */
export type ScriptStep = {
  number: number
  toolName: string
  toolInput: ToolInput
  isRead: boolean
  after?: readonly number[]
  onFailure?: 'skip'
  verify?: PlannedCheck
}
/** The calls that a plan’s run makes, in order. Stored as JSON. */
export type Script = { steps: ScriptStep[] }

export const most = { steps: 30, items: 200, readsAtOnce: 5 } as const

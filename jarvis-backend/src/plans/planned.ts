import type { PlanFacts, ToolInput } from 'protocol'
import type { Condition } from '../runbooks/expressions.ts'
import type { Procedure } from '../runbooks/procedure.ts'
import type { Whose } from '../tools/tool.ts'

/**
 * A request for a plan. `said`: a person's text that holds the procedure; absent if the asker composed the procedure. `goal`, `criteria`:
 * the asker's own words, which are only shown.
 */
export type Request = {
  /** The asker in whose name the plan is made; absent: main. */
  whose?: Whose
  procedure: Procedure
  /** The hash of the text or calls that the plan is made from. */
  hash: string
  runbook?: string
  said?: string
  /** The person who last wrote that text, if known. */
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
/** The calls of a plan in order, which lead its run. Stored as JSON. */
export type Script = { steps: ScriptStep[] }

export const most = { steps: 30, items: 200, readsAtOnce: 5 } as const

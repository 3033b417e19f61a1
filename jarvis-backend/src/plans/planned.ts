import type { ToolInput } from '../protocol/index.ts'
import type { Condition } from '../runbooks/expressions.ts'
import type { Procedure } from '../runbooks/procedure.ts'

/** What a plan is made of. `said`: a person's own text that it stands in; empty where none wrote it. */
export type Request = {
  procedure: Procedure
  /** Of the text that it was parsed from. */
  hash: string
  runbook?: string
  said: string
  inputs: Record<string, unknown>
}

/** A check with all values filled in. */
export type PlannedCheck = { toolName: string; toolInput: ToolInput; until: Condition; withinMs: number }
/** A call of a plan's run, as its script keeps it. */
export type ScriptStep = {
  number: number
  toolName: string
  toolInput: ToolInput
  isRead: boolean
  verify?: PlannedCheck
}
/** What leads the run of a plan: its calls in order. It is stored as JSON. */
export type Script = { steps: ScriptStep[] }

export const most = { steps: 30, items: 200, readsAtOnce: 5 } as const

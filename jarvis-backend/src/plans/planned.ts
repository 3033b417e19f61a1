import type { PlanFacts, ToolInput } from 'protocol'
import type { Condition } from '../runbooks/expressions.ts'
import type { Procedure } from '../runbooks/procedure.ts'
import type { Whose } from '../tools/tool.ts'

/**
 * What a plan is made of. `said`: a person's own text that it stands in; absent where whoever asks composed it. `goal`, `criteria`:
 * their own words, which are only shown.
 */
export type Request = {
  /** In whose name it is made; absent: main's. */
  whose?: Whose
  procedure: Procedure
  /** Of what it was made from. */
  hash: string
  runbook?: string
  said?: string
  /** The person who last wrote that text, where it is known. */
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
/** What leads the run of a plan: its calls in order. It is stored as JSON. */
export type Script = { steps: ScriptStep[] }

export const most = { steps: 30, items: 200, readsAtOnce: 5 } as const

import type { Fault, RunbookInput } from 'protocol'
import type { Condition, Ref } from './expressions.ts'
import type { Shape } from './shapes.ts'

/** Arguments whose texts may name values: see `readTemplate`. */
export type Args = Record<string, unknown>

/** What is read after a step until it is as wanted. `line`: of its condition, where a text has it. */
export type Check = { toolName: string; args: Args; until: Condition; withinMs: number; line?: number }

/**
 * One step. `line`: of its `tool`, where a text has it. `mustBeThere`: a value that a read does not hold is a fault; otherwise its
 * argument is left out. `after`: numbers of earlier steps that must have gone as planned.
 */
export type Step = {
  number: number
  title: string
  line?: number
  mustBeThere?: true
  after?: readonly number[]
  onFailure?: 'skip'
  /** The change that the step takes back. */
  takesBack?: { target: string; sentence: string }
  toolName: string
  args: Args
  /** The name of its output. */
  as?: string
  /** The list for each item of which the step stands once in the plan, as `$item`. */
  each?: Ref
  when?: Condition
  verify?: Check
  undo?: 'none' | { toolName: string; args: Args }
}

/** What runs: the steps of a runbook that has no fault, or of another list of calls. `maxAgeMs`: how long after its approval a step may still begin. */
export type Procedure = {
  title: string
  about: string
  inputs: RunbookInput[]
  alerts: string[]
  maxAgeMs: number
  steps: Step[]
}

/** What a parser must know of a tool. */
export type ToolFacts = {
  /** Its usual tier now, by the policy. */
  tier: 'green' | 'yellow' | 'red' | 'black'
  isRead: boolean
  takes: readonly string[]
  requires: readonly string[]
  returns?: Shape | undefined
  /** What is wrong with arguments that name no value. */
  problem(args: Args): string | undefined
}
export type Tools = { names(): readonly string[]; get(name: string): ToolFacts | undefined }

export type { Fault }
export const usualMaxAgeMs = 60 * 60_000
/** More than this nobody reads on one card. */
export const mostSteps = 30

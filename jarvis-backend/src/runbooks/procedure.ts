import type { Fault, RunbookInput } from 'protocol'
import type { Condition, Ref } from './expressions.ts'
import type { Shape } from './shapes.ts'

/** Arguments whose texts may contain references: see `readTemplate`. */
export type Args = Record<string, unknown>

/** A read that is repeated after a step until its condition holds. `line`: the line of the condition, if it was written in a file. */
export type Check = { toolName: string; args: Args; until: Condition; withinMs: number; line?: number }

/**
 * One step. `line`: the line of its `tool`, if the step comes from a file. `mustBeThere`: an argument whose value is absent is a fault; otherwise
 * the argument is left out. `after`: numbers of earlier steps that must have gone as planned.
 */
export type Step = {
  number: number
  title: string
  line?: number
  mustBeThere?: true
  after?: readonly number[]
  onFailure?: 'skip'
  /** The change that the step undoes. */
  takesBack?: { target: string; sentence: string }
  toolName: string
  args: Args
  /** The name by which later steps refer to the step’s output. */
  as?: string
  /** A reference to a list: the step is repeated for each item, which it refers to as `$item`. */
  each?: Ref
  when?: Condition
  verify?: Check
  undo?: 'none' | { toolName: string; args: Args }
}

/** The steps of a runbook without faults, or of another list of calls. `maxAgeMs`: how long after the approval a step may still begin. */
export type Procedure = {
  title: string
  about: string
  inputs: RunbookInput[]
  alerts: string[]
  maxAgeMs: number
  steps: Step[]
}

/** The facts of a tool that the parser needs. */
export type ToolFacts = {
  /** The tool’s usual tier, by the present policy. */
  tier: 'green' | 'yellow' | 'red' | 'black'
  isRead: boolean
  takes: readonly string[]
  requires: readonly string[]
  returns?: Shape | undefined
  /** Returns the fault of arguments without references; undefined if the tool accepts them. */
  problem(args: Args): string | undefined
}
export type Tools = { names(): readonly string[]; get(name: string): ToolFacts | undefined }

export type { Fault }
export const usualMaxAgeMs = 60 * 60_000
/** Maximum number of steps. A person would not read a card with more. */
export const mostSteps = 30

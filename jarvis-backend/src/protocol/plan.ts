import { z } from 'zod'
import { UndoFacts } from './undo.ts'

/**
 * Where a step stands. `waits`: for the steps before it, or a card of its own. `skipped`: its `when` was not so.
 * `surprise`: it ran, and its check did not come true. `unknown`: it may have run; it is never run again.
 */
export const StepState = z.enum([
  ...(['waits', 'running', 'asks', 'checking'] as const),
  ...(['done', 'skipped', 'failed', 'surprise', 'unknown', 'not_begun'] as const),
])
export type StepState = z.infer<typeof StepState>

/** One call of a plan, with every value filled in. */
export const PlanStep = z.object({
  /** From 1. */
  number: z.int(),
  title: z.string(),
  tier: z.enum(['green', 'yellow', 'red']),
  toolName: z.string(),
  toolInput: z.record(z.string(), z.unknown()),
  /** What it does, in JARVIS's words. */
  sentence: z.string(),
  now: z.string().optional(),
  then: z.string().optional(),
  affects: z.string().optional(),
  /** Absent of a read. */
  undo: UndoFacts.optional(),
  /** `state = running within 3 min`, by a read of `verify`'s tool. */
  check: z.string().optional(),
  /** The condition and what it came to: `hostpci0 = none, true`. */
  when: z.string().optional(),
  /** What a read gave when the plan was made, in one line. */
  read: z.string().optional(),
  state: StepState,
  /** Why it failed or asks, or what was seen after it. */
  outcome: z.string().optional(),
  startedAt: z.int().optional(),
  endedAt: z.int().optional(),
  /** Of its call, once it has begun. */
  toolUseId: z.string().optional(),
})
export type PlanStep = z.infer<typeof PlanStep>

/** A plan as its card shows it. `hash`: of runbook, inputs, calls, facts of the targets and policy; the decision binds it. */
export const PlanFacts = z.object({
  id: z.string(),
  hash: z.string(),
  title: z.string(),
  /** Of the runbook that it was made from. */
  runbook: z.string().optional(),
  inputs: z.record(z.string(), z.unknown()),
  steps: z.array(PlanStep),
})
export type PlanFacts = z.infer<typeof PlanFacts>

/** A plan that was approved, or needed no approval. Times are Unix ms. */
export const PlanRun = PlanFacts.extend({
  /** `stopped`: by a failure, a surprise or a person; `unknown`: a step may have run. */
  state: z.enum(['running', 'asks', 'done', 'stopped', 'unknown']),
  why: z.string().optional(),
  sessionId: z.string(),
  startedAt: z.int(),
  endedAt: z.int().optional(),
  by: z.string(),
})
export type PlanRun = z.infer<typeof PlanRun>

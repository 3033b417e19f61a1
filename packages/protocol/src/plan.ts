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
  /** The effect of the step, in JARVIS's words. */
  sentence: z.string(),
  now: z.string().optional(),
  then: z.string().optional(),
  affects: z.string().optional(),
  /** Absent of a read. */
  undo: UndoFacts.optional(),
  /** `state = running within 3 min`, by a read of `verify`'s tool. */
  check: z.string().optional(),
  /** The plan goes on where this step fails; steps that come after it are left out. Absent: the plan stops. */
  onFailure: z.literal('skip').optional(),
  /** The step waits for another step of the plan: the gate judges it when its turn comes, and it has a card of its own. */
  isLater: z.literal(true).optional(),
  /** The condition and what it came to: `hostpci0 = none, true`. */
  when: z.string().optional(),
  /** Result of a read when the plan was made, in one line. */
  read: z.string().optional(),
  state: StepState,
  /** Why it failed or asks, or what was seen after it. */
  outcome: z.string().optional(),
  startedAt: z.int().optional(),
  endedAt: z.int().optional(),
  /** Id of the step's call, once it has begun. */
  toolUseId: z.string().optional(),
})
export type PlanStep = z.infer<typeof PlanStep>

/** A plan as its card shows it. `hash`: of runbook, inputs, calls, facts of the targets and policy; the decision binds it. */
export const PlanFacts = z.object({
  id: z.string(),
  hash: z.string(),
  title: z.string(),
  /** The runbook that the plan was made from. */
  runbook: z.string().optional(),
  /** The goal in the words of the model or client that proposed the plan. No rule reads them, and no card shows them as a fact. */
  goal: z.string().optional(),
  criteria: z.string().optional(),
  /** The plan whose changes this one takes back, and how many steps that had. */
  undoes: z.object({ id: z.string(), hash: z.string(), steps: z.int() }).optional(),
  inputs: z.record(z.string(), z.unknown()),
  steps: z.array(PlanStep),
})
export type PlanFacts = z.infer<typeof PlanFacts>

/** A value of another step: of what the read `step` returned, such as `guests.0.vmid` or `guests(name=web).vmid`. */
export const PlanPointer = z.strictObject({ step: z.string(), path: z.string() })
export type PlanPointer = z.infer<typeof PlanPointer>

const stepId = z.string().max(40)

/** A read after a step, and what must then be so. Without `tool`, the step is the read. Without `input`, it has the step's. */
export const ProposedCheck = z.strictObject({
  tool: z.string().max(100).optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  path: z.string().max(200),
  op: z.enum(['=', '!=', '<=', '>=', '<', '>', 'contains']),
  value: z.union([z.string().max(500), z.number(), z.boolean(), z.null()]),
  withinS: z.int().min(1).max(14_400).optional(),
})
export type ProposedCheck = z.infer<typeof ProposedCheck>

/** `input`: a value may be `{step, path}`, which stands for what an earlier read gave. `after`: ids of steps. */
export const ProposedStep = z.strictObject({
  id: stepId,
  tool: z.string().max(100),
  input: z.record(z.string(), z.unknown()),
  after: z.array(stepId).max(20).optional(),
  check: ProposedCheck.optional(),
  onFailure: z.enum(['stop', 'skip']).optional(),
})
export type ProposedStep = z.infer<typeof ProposedStep>

/** A plan as a model proposes it. `goal`, `criteria`: free text, which is only shown. */
export const PlanProposal = z.strictObject({
  goal: z.string().min(1).max(500),
  criteria: z.string().max(500).optional(),
  steps: z.array(ProposedStep).min(2).max(20),
})
export type PlanProposal = z.infer<typeof PlanProposal>

/** A line of the list that a model keeps of what it is about to do. It starts nothing. */
export const TodoItem = z.object({ text: z.string(), state: z.enum(['open', 'doing', 'done']) })
export type TodoItem = z.infer<typeof TodoItem>

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

import { z } from 'zod'
import { UndoFacts } from './undo.ts'

/**
 * The state of a step. `waits`: for earlier steps, or for a card of its own. `skipped`: its condition `when` was false. `surprise`: it ran, and its
 * check failed. `unknown`: it may have run; it is never run again.
 */
export const StepState = z.enum([
  ...(['waits', 'running', 'asks', 'checking'] as const),
  ...(['done', 'skipped', 'failed', 'surprise', 'unknown', 'not_begun'] as const),
])
export type StepState = z.infer<typeof StepState>

/** One call of a plan, with all values filled in. */
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
  /** The way to take the step back; absent for a read. */
  undo: UndoFacts.optional(),
  /** The check after the step: `state = running within 3 min`, read by the tool of `verify`. */
  check: z.string().optional(),
  /** `skip`: if this step fails, the plan goes on without the steps that depend on it. Absent: the plan stops. */
  onFailure: z.literal('skip').optional(),
  /** The step depends on another step of the plan. The gate judges it when its turn comes, and it may get a card of its own. */
  isLater: z.literal(true).optional(),
  /** The condition and its result: `hostpci0 = none, true`. */
  when: z.string().optional(),
  /** Result of a read when the plan was made, in one line. */
  read: z.string().optional(),
  state: StepState,
  /** Why the step failed or asks, or what was observed after it. */
  outcome: z.string().optional(),
  startedAt: z.int().optional(),
  endedAt: z.int().optional(),
  /** Id of the step's call, once it has begun. */
  toolUseId: z.string().optional(),
})
export type PlanStep = z.infer<typeof PlanStep>

/** A plan as its card shows it. `hash`: covers the runbook, inputs, calls, facts of the targets, and policy; a decision is bound to it. */
export const PlanFacts = z.object({
  id: z.string(),
  hash: z.string(),
  title: z.string(),
  /** The runbook that the plan was made from. */
  runbook: z.string().optional(),
  /** The goal in the words of the model or client that proposed the plan. No rule uses the goal, and no card presents it as a fact. */
  goal: z.string().optional(),
  criteria: z.string().optional(),
  /** The plan that this plan takes back: its id, hash and number of steps. */
  undoes: z.object({ id: z.string(), hash: z.string(), steps: z.int() }).optional(),
  inputs: z.record(z.string(), z.unknown()),
  steps: z.array(PlanStep),
})
export type PlanFacts = z.infer<typeof PlanFacts>

/** A reference to a value in the result of the read `step`. `path`: for example `guests.0.vmid` or `guests(name=web).vmid`. */
export const PlanPointer = z.strictObject({ step: z.string(), path: z.string() })
export type PlanPointer = z.infer<typeof PlanPointer>

const stepId = z.string().max(40)

/**
 * A check after a step: a read, and the condition that its result must meet. Without `tool`, the step itself is the read. Without `input`, the read
 * uses the step's input.
 */
export const ProposedCheck = z.strictObject({
  tool: z.string().max(100).optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  path: z.string().max(200),
  op: z.enum(['=', '!=', '<=', '>=', '<', '>', 'contains']),
  value: z.union([z.string().max(500), z.number(), z.boolean(), z.null()]),
  withinS: z.int().min(1).max(14_400).optional(),
})
export type ProposedCheck = z.infer<typeof ProposedCheck>

/**
 * A step that a model proposes. `input`: a value may be `{step, path}`, which stands for a value of an earlier read. `after`: ids of the steps that
 * must come before.
 */
export const ProposedStep = z.strictObject({
  id: stepId,
  tool: z.string().max(100),
  input: z.record(z.string(), z.unknown()),
  after: z.array(stepId).max(20).optional(),
  check: ProposedCheck.optional(),
  onFailure: z.enum(['stop', 'skip']).optional(),
})
export type ProposedStep = z.infer<typeof ProposedStep>

/** A plan that a model proposes. `goal`, `criteria`: free text, which is only displayed. */
export const PlanProposal = z.strictObject({
  goal: z.string().min(1).max(500),
  criteria: z.string().max(500).optional(),
  steps: z.array(ProposedStep).min(2).max(20),
})
export type PlanProposal = z.infer<typeof PlanProposal>

/** An item of the to-do list that a model keeps for its work. It starts nothing. */
export const TodoItem = z.object({ text: z.string(), state: z.enum(['open', 'doing', 'done']) })
export type TodoItem = z.infer<typeof TodoItem>

/** A plan that runs or ran: it was approved, or needed no approval. Times are Unix ms. */
export const PlanRun = PlanFacts.extend({
  /** `stopped`: a failure, a surprise or a person stopped the plan. `unknown`: a step may have run. */
  state: z.enum(['running', 'asks', 'done', 'stopped', 'unknown']),
  why: z.string().optional(),
  sessionId: z.string(),
  startedAt: z.int(),
  endedAt: z.int().optional(),
  by: z.string(),
})
export type PlanRun = z.infer<typeof PlanRun>

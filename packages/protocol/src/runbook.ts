import { z } from 'zod'
import { pageOf } from './page.ts'
import { PlanRun, PlanStep } from './plan.ts'
import { Tier } from './tier.ts'

/** A fault in a runbook's text. `line`, `column`: from 1. `nearest`: the known name that is most similar to the wrong one. */
export const Fault = z.object({
  line: z.int(),
  column: z.int().optional(),
  message: z.string(),
  nearest: z.string().optional(),
})
export type Fault = z.infer<typeof Fault>

export const RunbookInput = z.object({
  name: z.string(),
  type: z.enum(['text', 'number', 'boolean', 'node', 'guest', 'storage']),
  about: z.string().optional(),
  isRequired: z.boolean(),
  default: z.unknown().optional(),
})
export type RunbookInput = z.infer<typeof RunbookInput>

/** A runbook of `workspace/runbooks`. `name`: the file's name without `.md`. `faults`: the runbook cannot run while it has any. */
export const Runbook = z.object({
  name: z.string(),
  title: z.string(),
  about: z.string(),
  inputs: z.array(RunbookInput),
  /** `line`: the line of the step's `tool`. `tier`: the tool's own tier; the call may get a higher one. Null: there is no such tool. */
  steps: z.array(
    z.object({ number: z.int(), title: z.string(), toolName: z.string(), tier: Tier.nullable(), line: z.int() }),
  ),
  /** Ids of the checks whose alerts offer this runbook. */
  alerts: z.array(z.string()),
  faults: z.array(Fault),
  isShipped: z.boolean(),
  changedAt: z.int(),
  /** Hash of the runbook's text. */
  hash: z.string(),
  lastRun: z.object({ at: z.int(), state: z.string() }).optional(),
})
export type Runbook = z.infer<typeof Runbook>

/** Reply of `GET /api/runbooks/NAME`. */
export const RunbookText = Runbook.extend({ text: z.string() })
export type RunbookText = z.infer<typeof RunbookText>

/** `hash`: the hash of the text that was edited. If the file has changed since, the request is refused with `conflict`. Absent for a new runbook. */
export const RunbookBody = z.strictObject({ text: z.string().max(100_000), hash: z.string().optional() })
/** `POST /api/runbooks/check` checks a text without saving it. `inputs`: also makes a dry run with them. */
export const RunbookCheckBody = z.strictObject({
  text: z.string().max(100_000),
  inputs: z.record(z.string(), z.unknown()).optional(),
})
/** `plan`: the result of the dry run: real reads and resolved values; nothing is changed. `problem`: why the dry run could not go on. */
export const RunbookCheck = z.object({
  runbook: Runbook,
  plan: z
    .object({
      hash: z.string(),
      steps: z.array(PlanStep),
      binds: z.array(z.object({ what: z.string(), value: z.string() })),
      problem: z.object({ step: z.int(), message: z.string(), line: z.int().optional() }).optional(),
      at: z.int(),
      durationMs: z.number(),
    })
    .optional(),
})
export type RunbookCheck = z.infer<typeof RunbookCheck>
export const RunbookRunBody = z.strictObject({ inputs: z.record(z.string(), z.unknown()).default({}) })
/** `sessionId`: the session in which the runbook's card or plan appears. */
export const RunbookRunReply = z.object({ sessionId: z.string() })
export type RunbookRunReply = z.infer<typeof RunbookRunReply>
export const PlanRunsPage = pageOf(PlanRun)
export type PlanRunsPage = z.infer<typeof PlanRunsPage>

import { z } from 'zod'
import { pageOf } from './page.ts'
import { PlanRun, PlanStep } from './plan.ts'
import { Tier } from './tier.ts'

/** A fault in a runbook's text. `line`, `column`: from 1. `nearest`: the name that was probably meant. */
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

/** A runbook of `workspace/runbooks`. `name`: its file's, without `.md`. `faults`: it cannot run while it has any. */
export const Runbook = z.object({
  name: z.string(),
  title: z.string(),
  about: z.string(),
  inputs: z.array(RunbookInput),
  /** `line`: of its `tool`. `tier`: the tool's own; the call may be higher. Null where there is no such tool. */
  steps: z.array(
    z.object({ number: z.int(), title: z.string(), toolName: z.string(), tier: Tier.nullable(), line: z.int() }),
  ),
  /** Ids of the checks whose alerts offer it. */
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

/** `hash`: of the text that was edited; a file that changed since is refused with `conflict`. Absent for a new one. */
export const RunbookBody = z.strictObject({ text: z.string().max(100_000), hash: z.string().optional() })
/** `POST /api/runbooks/check`: a text, without saving it. `inputs`: also runs it dry. */
export const RunbookCheckBody = z.strictObject({
  text: z.string().max(100_000),
  inputs: z.record(z.string(), z.unknown()).optional(),
})
/** `plan`: what the dry run came to: real reads, resolved values, nothing changed. `problem`: where it could not go on. */
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
/** The session in which its card or its plan appears. */
export const RunbookRunReply = z.object({ sessionId: z.string() })
export type RunbookRunReply = z.infer<typeof RunbookRunReply>
export const PlanRunsPage = pageOf(PlanRun)
export type PlanRunsPage = z.infer<typeof PlanRunsPage>

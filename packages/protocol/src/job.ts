import { z } from 'zod'
import { pageOf } from './page.ts'
import { Principal } from './tier.ts'
import { ToolInput } from './transcript.ts'

const clock = '(?:[01]\\d|2[0-3]):[0-5]\\d'
/** Hours of each day in the server's time zone: `22:00-06:00`. */
const Hours = z.string().regex(new RegExp(`^${clock}-${clock}$`), 'must be hours such as 22:00-06:00')

/**
 * The work of a job. `prompt`: a message for the model. `call`: one call, without a model. `runbook`: a plan that is made again for each run.
 * `heartbeat`: all checks. `drill`: the restore drill of the guest whose restore proof is oldest.
 */
export const JobWork = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('prompt'), text: z.string().trim().min(1).max(20_000) }),
  z.strictObject({ kind: z.literal('call'), toolName: z.string().max(200), toolInput: ToolInput }),
  z.strictObject({ kind: z.literal('runbook'), name: z.string().max(200), inputs: ToolInput }),
  z.strictObject({
    kind: z.literal('heartbeat'),
    /** Hours in which the heartbeat may call its model; absent: always. */
    activeHours: Hours.optional(),
    /** Time of day at which the heartbeat calls its model although nothing changed: `08:00`. */
    digestAt: z
      .string()
      .regex(new RegExp(`^${clock}$`), 'must be a time such as 08:00')
      .optional(),
  }),
  z.strictObject({
    kind: z.literal('drill'),
    bwlimitKiBps: z.int().min(1).optional(),
    /** Hours in which the drill may begin. */
    window: Hours.optional(),
  }),
])
export type JobWork = z.infer<typeof JobWork>

/** `at`: Unix ms. `line`: five fields of cron. `zone`: an IANA time zone. */
export const Schedule = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('once'), at: z.int() }),
  z.strictObject({
    kind: z.literal('interval'),
    minutes: z
      .int()
      .min(1)
      .max(60 * 24 * 31),
  }),
  z.strictObject({ kind: z.literal('cron'), line: z.string().trim().max(200), zone: z.string().max(100) }),
])
export type Schedule = z.infer<typeof Schedule>

/** Limits on the model use of a job. Tokens are all that were read and written; dollars are at list prices. */
export const JobBudget = z.strictObject({
  tokensPerRun: z.int().min(1).optional(),
  tokensPerDay: z.int().min(1).optional(),
  usdPerRun: z.number().positive().max(1_000_000).optional(),
  usdPerDay: z.number().positive().max(1_000_000).optional(),
  callsPerRun: z.int().min(1).optional(),
  callsPerDay: z.int().min(1).optional(),
  minutesPerRun: z.number().positive().max(100_000).optional(),
  minutesPerDay: z.number().positive().max(100_000).optional(),
})
export type JobBudget = z.infer<typeof JobBudget>

/**
 * The state of one planned instant of a job. `slot`: that instant, Unix ms; for a slot started by hand, when a person asked for it. `claimed`: the
 * scheduler took the slot, and it is not known if the run began. `missed`: JARVIS was off or could not start it. `skipped`: the run before still
 * went on, or the job was paused. `waiting`: its card waits for a person. `unknown`: it may have begun, and is never started again.
 */
export const SlotState = z.enum([
  ...(['claimed', 'running', 'waiting'] as const),
  ...(['done', 'failed', 'missed', 'skipped', 'unknown'] as const),
])
export const JobSlot = z.object({
  jobId: z.string(),
  slot: z.int(),
  state: SlotState,
  isByHand: z.literal(true).optional(),
  /** The person who started it by hand. */
  startedBy: z.string().optional(),
  /** Time at which a missed slot ran later. Only a job that changes nothing is caught up. */
  caughtUpAt: z.int().optional(),
  startedAt: z.int().optional(),
  endedAt: z.int().optional(),
  /** One line: the outcome, or why it did not run. */
  summary: z.string().optional(),
  sessionId: z.string().optional(),
  runId: z.string().optional(),
  /** Absent: no model was called. 0: the use is known to be 0. */
  tokens: z.int().optional(),
  costUsd: z.number().optional(),
})
export type JobSlot = z.infer<typeof JobSlot>

export const Job = z.object({
  id: z.string(),
  name: z.string(),
  work: JobWork,
  schedule: Schedule,
  /** The schedule in words: `daily at 20:11, Europe/Berlin`. */
  words: z.string(),
  budget: JobBudget,
  /** `ended`: the job was planned for one instant, which has passed. */
  state: z.enum(['active', 'paused', 'ended']),
  /** The person who paused the job, and why; `jarvis` after three failures. */
  paused: z.object({ by: z.string(), at: z.int(), why: z.string() }).optional(),
  /** The person in whose name the job runs. Its runs have no more rights than this person. */
  by: z.string(),
  /** The model or client that asked for the job, if `by` approved the request on a card. */
  askedBy: Principal.optional(),
  /** The job may change something, so a missed slot never runs later. */
  isChanging: z.boolean(),
  /** Until when a person's approval covers the calls of a drill beforehand, Unix ms; null: each call asks. */
  approvedUntil: z.int().nullable().optional(),
  createdAt: z.int(),
  isShipped: z.literal(true).optional(),
  /** The next five planned instants, Unix ms; empty while the job is paused. */
  next: z.array(z.int()),
  /** A sentence on the next clock change: `Clocks change on 25 Oct: 20:11 both before and after.` */
  clockChange: z.string().optional(),
  /** The newest ten slots, oldest first. */
  last: z.array(JobSlot),
  failures: z.int(),
})
export type Job = z.infer<typeof Job>

/** `stopped`: set while one switch stops all jobs (`POST /api/jobs/stop` and `/start`). `zone`: the server's time zone. */
export const JobsReply = z.object({
  items: z.array(Job),
  stopped: z.object({ by: z.string(), at: z.int() }).nullable(),
  zone: z.string(),
  now: z.int(),
})
export type JobsReply = z.infer<typeof JobsReply>

export const JobBody = z.strictObject({
  name: z.string().trim().min(1).max(100),
  work: JobWork,
  schedule: Schedule,
  budget: JobBudget.default({}),
})
export type JobBody = z.infer<typeof JobBody>
export const JobPatchBody = z
  .strictObject({
    name: JobBody.shape.name.optional(),
    work: JobWork.optional(),
    schedule: Schedule.optional(),
    budget: JobBudget.optional(),
    isPaused: z.boolean().optional(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), 'must name what to change')
/** `POST /api/jobs/preview`: the instants of a schedule, before it is saved. */
export const SchedulePreviewBody = z.strictObject({ schedule: Schedule })
export const SchedulePreview = z.object({
  words: z.string(),
  next: z.array(z.int()),
  clockChange: z.string().optional(),
})
export type SchedulePreview = z.infer<typeof SchedulePreview>
/** A page of a job's slots, newest first. */
export const JobSlotsPage = pageOf(JobSlot)
export type JobSlotsPage = z.infer<typeof JobSlotsPage>

/** One step of a job's run: a call and its outcome. */
export const TraceStep = z.object({
  at: z.int(),
  toolName: z.string(),
  toolInput: ToolInput,
  tier: z.string(),
  summary: z.string(),
  state: z.enum(['done', 'failed', 'unknown', 'refused', 'waits']),
  durationMs: z.number().optional(),
  /** Number of the journal's entry. */
  entry: z.int().optional(),
})
/** Reply of `GET /api/jobs/ID/slots/SLOT`. */
export const JobTrace = JobSlot.extend({ steps: z.array(TraceStep), said: z.string().optional() })
export type JobTrace = z.infer<typeof JobTrace>

/** Reply of `GET /api/heartbeat`. Field names in snake case, for compatibility with earlier clients. */
export const HeartbeatReply = z.object({
  enabled: z.boolean(),
  /** Minutes. */
  interval: z.int(),
  is_running: z.boolean(),
  /** Unix ms; null before the first. */
  last_run: z.int().nullable(),
  last_result: z.string().nullable(),
  heartbeat_file: z.string(),
  has_heartbeat_file: z.boolean(),
  next_run: z.int().nullable(),
  /** Since midnight of its zone. */
  tokens_today: z.int(),
  cost_today_usd: z.number().nullable(),
  tokens_per_day: z.int(),
})
export type HeartbeatReply = z.infer<typeof HeartbeatReply>

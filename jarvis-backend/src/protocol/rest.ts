import { z } from 'zod'
import { AgentId } from './agent.ts'
import { Alternative } from './alternative.ts'
import { type BranchedFrom, MessageBody } from './chat.ts'
import { GrantRequest } from './grant.ts'
import { Effort } from './models.ts'
import type { Page } from './page.ts'
import { type Card, type Decision, type Effect, ProfileName, Tier, type Verdict } from './tier.ts'
import type { Usage } from './transcript.ts'
import { GoesBackAfterMin, type UndoFacts } from './undo.ts'

export const LoginBody = z.strictObject({ password: z.string().max(1_000) })
export const PasswordBody = z.strictObject({ current: z.string().max(1_000), next: z.string().max(1_000) })
/** The password, given again for an action that a token alone may not do. */
export const StepUpBody = LoginBody
/** `expiresIn`: how long the token stays elevated, seconds. */
export type StepUpReply = { expiresIn: number }
export type LoginReply = { token: string; expiresIn: number; role: Role }

export const Role = z.enum(['operator', 'viewer'])
export type Role = z.infer<typeof Role>

export const SessionCreateBody = z
  .strictObject({
    title: z.string().trim().min(1).max(200).optional(),
    /** The agent that it belongs to; absent: \`main\`. */
    agent: AgentId.optional(),
    /** Begins the session with a run, as `POST /api/sessions/:id/messages` does. */
    message: MessageBody.shape.message.optional(),
    requestId: MessageBody.shape.requestId,
    model: MessageBody.shape.model,
  })
  .refine(
    ({ message, requestId, model }) => message !== undefined || (requestId === undefined && model === undefined),
    'requestId and model need a message',
  )
/** An operator's word on an answer; `rating` null takes it back. */
export const RatingBody = z.strictObject({
  rating: z.enum(['up', 'down']).nullable(),
  note: z.string().trim().min(1).max(2_000).optional(),
})
/** `isRehearsal`: changing calls only say what they would do. `model`: null for the one in use. `effort`: null for the settings' one. */
export const SessionPatchBody = z
  .strictObject({
    title: z.string().trim().min(1).max(200).optional(),
    isRehearsal: z.boolean().optional(),
    isArchived: z.boolean().optional(),
    model: z.string().max(200).nullable().optional(),
    effort: Effort.nullable().optional(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), 'must name what to change')
const seq = z.int().nonnegative()
/**
 * `before`: seq of a message; the branch is another version of it. `after`: seq of an answer; the branch is a session of its own.
 * `model`: answers in the branch.
 */
export const SessionBranchBody = z
  .strictObject({
    before: seq.optional(),
    after: seq.optional(),
    model: z.string().max(200).optional(),
    /** Files that JARVIS wrote after that point go back too, as far as nobody edited them since. */
    restoreFiles: z.boolean().optional(),
  })
  .refine(({ before, after }) => (before === undefined) !== (after === undefined), 'must name before or after')
const cursor = (pattern: RegExp) => z.string().max(100).regex(pattern, 'must be a cursor from `next`').optional()
/** `limit` 1..200; `before`: a cursor from `next`. */
export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  before: cursor(/^\d{1,15}$/),
})
/** `q`: words of titles and messages, `"quoted"` for exact text. `archived`: leave archived sessions out, only those, or all. */
/** Where a session began: in the dashboard, over MCP, by a job, or by a program over `/v1`. */
export const SessionSource = z.enum(['chat', 'mcp', 'job', 'v1'])
export type SessionSource = z.infer<typeof SessionSource>
export const SessionsQuery = PageQuery.extend({
  before: cursor(/^\d{1,15}\..+$/),
  q: z.string().max(200).optional(),
  /** Absent: all but those of jobs and of programs. */
  source: SessionSource.optional(),
  archived: z.enum(['no', 'only', 'all']).default('no'),
})
export const ConfirmBody = z.strictObject({
  confirmed: z.boolean(),
  note: z.string().max(2_000).optional(),
  alternative: Alternative.optional(),
  grant: GrantRequest.optional(),
  goesBackAfterMin: GoesBackAfterMin.optional(),
})
/** `z.custom`, because `z.record` drops a key named `__proto__`, which must be refused like any other. */
const AnyObject = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
)
export const ClassifyBody = z.strictObject({ input: AnyObject })
/** What a call would get. `preview`: as its card would say it; absent where its tool reads nothing before. */
export type ClassifyReply = Pick<Verdict, 'tier' | 'rule' | 'reason'> & {
  preview?: { now?: string; then?: string; undo: UndoFacts; mayGoBack?: true }
}

/** The versions of the message at `entry`, oldest first, each by its session. `shown`: index of the requested session. */
export type Versions = { entry: number; sessionIds: string[]; shown: number }

export type SessionSummary = {
  id: string
  title: string
  source: SessionSource
  createdAt: number
  updatedAt: number
  isRehearsal: boolean
  isRunning: boolean
  pendingCount: number
  archivedAt?: number
  model?: string
  /** The effort chosen for the session; absent: as in the settings. */
  effort?: Effort
  /** The agent that it belongs to; absent: `main`. */
  agent?: string
  branchedFrom?: BranchedFrom
  /**
   * How many sessions hold versions of its messages, itself included; absent: only itself. They are renamed, archived and deleted
   * together. A list shows one row for them, with the sums of usage, cost and cards, and `isRunning` where any runs.
   */
  versions?: number
  /** Sum of its answers without copied ones; absent until counted. */
  usage?: Usage
  /** Some answers ended before they were fully counted: `usage` and `costUsd` are lower bounds. */
  isUsagePartial?: true
  /** US dollars; absent where a price is unknown. */
  costUsd?: number
  /** What the next message of it would fill of its model's window; of `GET /api/sessions/:id` alone. */
  context?: { usedTokens: number; limitTokens: number }
  /** The message that matches the search, cut around the words; `seq`: its entry. */
  found?: { seq: number; text: string }
}
/** `isIndexing`: some sessions are not searched and counted yet. `total`: how many there are; of the first page alone, and without a search. */
export type SessionsPage = Page<SessionSummary> & { isIndexing?: true; total?: number }

/** A confirmation in `/api/confirmations`: the card, its session, and its outcome. */
export type ConfirmationRow = Card & {
  sessionId: string
  decision?: Decision
  decidedBy?: string
  decidedAt?: number
  note?: string
  replacedBy?: string
  /** When a denial was lifted. */
  liftedAt?: number
  /** Until when a denied call of an MCP client is refused without a card; absent where it is not. */
  refusedUntil?: number
  /** Outcome of an approved call; absent while it runs. `unknown`: it may have run. */
  outcome?: 'done' | 'failed' | 'unknown'
}

/** `effects`: all effects that its calls may have. `raises`: what makes a call stricter than `tier`, strictest first; absent where nothing does. */
export type ToolInfo = {
  name: string
  description: string
  tier: Tier
  effects?: readonly Effect[]
  raises?: { tier: Tier; rule: string; words: string }[]
  inputSchema: Record<string, unknown>
}

/** Calls of each tool in the last week, and how many were refused in all. `since`: Unix ms. */
export type ToolCalls = { since: number; calls: Record<string, number>; refused: number }

/** Answered without a token; `/api/status` has more for signed-in clients. */
export type Health = { status: 'ok' | 'shutting_down'; version: string; uptime: number }
/** State of the running server for the dashboard. */
export type Status = {
  version: string
  uptimeS: number
  model: string
  /** Models that `chat:send` may name; the one in use is first. */
  models: string[]
  isDemoModel: boolean
  isDemoCluster: boolean
  /** Whether `/terminal` is on. */
  hasTerminal: boolean
  policy: PolicyStatus
  parts: PartStatus[]
  /** Absent where all saved settings are in use. */
  nextStart?: NextStart
  /** Why a start now would fail, naming the variable. */
  cannotStart?: string
}
/**
 * Settings saved for the next start. `urls`: of the cluster, empty for the demo; absent where unchanged. `hasNewSsh`: account, key or
 * node addresses changed. `isAnotherCluster`: runs, cards and grants end with the cluster in use.
 */
export type NextStart = { urls?: string[]; hasNewSsh: boolean; isAnotherCluster: boolean }
/** Reply with status 202: the server shuts down as at SIGTERM and starts again. */
export type RestartReply = { isRestarting: true }
/**
 * Health of one part of JARVIS. `text`: what was seen; `effect`: what does not work because of it; both for a person. `at`: when the part
 * last answered, Unix ms.
 */
export type PartStatus = {
  name: string
  health: 'ok' | 'warn' | 'bad' | 'unknown'
  text: string
  effect?: string
  at?: number
}
/**
 * `hash`: of the policy.yaml in force; absent where there is none. `problems`: why the current file is not in force. `warnings`: entries
 * that have no meaning now.
 */
export type PolicyStatus = { profile: ProfileName; hash?: string; problems?: string[]; warnings?: string[] }

export const SettingsBody = z.strictObject({ profile: ProfileName })
/**
 * `profiles`: from strictest to loosest. `protectedTargets`: `node/NAME`, `vm/ID`, …, which nothing may change. `unseenTargets`: those
 * that match nothing in this cluster. `ssh`: as configured; without `keyPath` only the agent is used. `shippedPersona`: the original
 * content of SOUL.md.
 */
export type SettingsReply = {
  profile: ProfileName
  profiles: { name: ProfileName; description: string }[]
  protectedTargets: string[]
  unseenTargets: string[]
  ssh: { user: string; keyPath?: string; hasAgent: boolean; knownHostsPath: string }
  shippedPersona: string
}

/** `before`: a cursor from `next`. `actor`: an operator, a model, an MCP client or its token. */
export const JournalQuery = z.strictObject({
  limit: PageQuery.shape.limit,
  before: z.coerce.number().int().positive().optional(),
  kind: z.string().max(100).optional(),
  toolUseId: z.string().max(100).optional(),
  sessionId: z.string().max(100).optional(),
  toolName: z.string().max(100).optional(),
  actor: z.string().max(200).optional(),
  tier: Tier.optional(),
  /** A call's outcome: `done`, `failed`, `unknown`, `rehearsed`. */
  outcome: z.string().max(50).optional(),
})
export type JournalQuery = z.infer<typeof JournalQuery>

/** One line of the journal. `hash` covers the entry and the previous hash. */
export type JournalEntry = { seq: number; at: number; kind: string; body: unknown; hash: string }
/** `besides`: entries of the same calls that the filter or the page leaves out, because a result alone does not say who asked. */
export type JournalPage = Page<JournalEntry> & { besides?: JournalEntry[] }
/** `entries`: how many were checked. `brokenAt`: the first entry that was altered; `reason`: how, in words. */
export type JournalVerification = { ok: boolean; entries: number; brokenAt?: number; reason?: string }

export const LogsQuery = z.strictObject({ level: z.enum(['error', 'warn', 'info', 'debug']).default('debug') })
/** A line of the server's log, redacted. `detail`: an error's stack or further fields. */
export type LogLine = { id: number; at: number; level: string; message: string; detail?: string }

import { z } from 'zod'
import type { BranchedFrom } from './chat.ts'
import { GrantRequest } from './grant.ts'
import { Effort } from './models.ts'
import { type Card, type Decision, type Effect, ProfileName, Tier } from './tier.ts'
import type { Usage } from './transcript.ts'

export const LoginBody = z.strictObject({ password: z.string().max(1_000) })
export const PasswordBody = z.strictObject({ current: z.string().max(1_000), next: z.string().max(1_000) })
/** The password again, for what a token alone may not do. */
export const StepUpBody = LoginBody
/** The token may do so for `expiresIn` seconds. */
export type StepUpReply = { expiresIn: number }
export type LoginReply = { token: string; expiresIn: number; role: Role }

export const Role = z.enum(['operator', 'viewer'])
export type Role = z.infer<typeof Role>

export const SessionCreateBody = z.strictObject({ title: z.string().trim().min(1).max(200).optional() })
/** `isRehearsal`: what would change something only says what it would do. `model`: null is the one in use. `effort`: null is as the settings say. */
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
 * `before`: the seq of a message, of which the branch is another version; `after`: of an answer in words, where the branch
 * is a session by itself. `model`: which one answers in the branch.
 */
export const SessionBranchBody = z
  .strictObject({ before: seq.optional(), after: seq.optional(), model: z.string().max(200).optional() })
  .refine(({ before, after }) => (before === undefined) !== (after === undefined), 'must name before or after')
const cursor = (pattern: RegExp) => z.string().max(100).regex(pattern, 'must be a cursor from `next`').optional()
/** `limit` 1..200; `before`: a cursor from `next`. */
export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  before: cursor(/^\d{1,15}$/),
})
/** `q`: words of titles and messages, `"in quotes"` as they stand. `archived`: those as well, or alone. */
export const SessionsQuery = PageQuery.extend({
  before: cursor(/^\d{1,15}\..+$/),
  q: z.string().max(200).optional(),
  source: z.enum(['chat', 'mcp']).optional(),
  archived: z.enum(['no', 'only', 'all']).default('no'),
})
export const ConfirmBody = z.strictObject({
  confirmed: z.boolean(),
  note: z.string().max(2_000).optional(),
  grant: GrantRequest.optional(),
})
/** Not a record: that would drop a key named `__proto__`, which must be refused like any other. */
const AnyObject = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
)
export const ClassifyBody = z.strictObject({ input: AnyObject })

/** The versions of the message at `entry`, oldest first: the session behind each, and the index of the one that was asked for. */
export type Versions = { entry: number; sessionIds: string[]; shown: number }

export type Page<T> = { items: T[]; next?: string }

export type SessionSummary = {
  id: string
  title: string
  source: 'chat' | 'mcp'
  createdAt: number
  updatedAt: number
  isRehearsal: boolean
  isRunning: boolean
  pendingCount: number
  archivedAt?: number
  model?: string
  /** How much the models think in it; absent: as the settings say. */
  effort?: Effort
  branchedFrom?: BranchedFrom
  /**
   * How many sessions hold versions of its messages, with it; absent: none but it. They are renamed, archived and deleted
   * together. In a list one row stands for them, with the sums of their usage, cost and cards, and running where one runs.
   */
  versions?: number
  /** Of all its answers but copied ones; absent until they were counted. */
  usage?: Usage
  /** Some answers ended before all was counted: `usage` and `costUsd` are the least that it was. */
  isUsagePartial?: true
  /** US dollars; absent where a price is not known. */
  costUsd?: number
  /** The message with the words that were looked for, cut around them; `seq`: its entry. */
  found?: { seq: number; text: string }
}
/** `isIndexing`: not all sessions are searched and counted yet. */
export type SessionsPage = Page<SessionSummary> & { isIndexing?: true }

/** A confirmation as `/api/confirmations` lists it: the card, where it was asked, and what became of it. */
export type ConfirmationRow = Card & {
  sessionId: string
  decision?: Decision
  decidedBy?: string
  decidedAt?: number
  note?: string
  replacedBy?: string
  /** When a denial was taken back. */
  liftedAt?: number
  /** Until when a denied call of an MCP client is refused without asking; absent where it is not. */
  refusedUntil?: number
  /** What became of an approved call; absent while it runs. `unknown`: it may have run. */
  outcome?: 'done' | 'failed' | 'unknown'
}

/**
 * `effects`: all that its calls may come to. `raises`: what makes a call of it stricter than its tier, strictest first;
 * absent where nothing does.
 */
export type ToolInfo = {
  name: string
  description: string
  tier: Tier
  effects?: readonly Effect[]
  raises?: { tier: Tier; rule: string; words: string }[]
  inputSchema: Record<string, unknown>
}

/** Calls of each tool since a week ago, and how many of all were refused. `since`: Unix ms. */
export type ToolCalls = { since: number; calls: Record<string, number>; refused: number }

/** Health answers without a token; `/api/status` says more to those who have one. */
export type Health = { status: 'ok' | 'shutting_down'; version: string; uptime: number }
/** What the dashboard shows about the running server. */
export type Status = {
  version: string
  uptimeS: number
  model: string
  /** What `chat:send` may name, the one in use first. */
  models: string[]
  isDemoModel: boolean
  isDemoCluster: boolean
  /** `/terminal` is turned on. */
  hasTerminal: boolean
  policy: PolicyStatus
  parts: PartStatus[]
  /** Absent where all that was saved is in use. */
  nextStart?: NextStart
  /** Why a start that begins now would fail, in words that name the variable. */
  cannotStart?: string
}
/** Saved while running, used from the next start on. `urls`: of the cluster, none for the demo; absent where it stays. `hasNewSsh`: account, key or places of nodes. `isAnotherCluster`: what runs, waits or was granted ends with the one in use. */
export type NextStart = { urls?: string[]; hasNewSsh: boolean; isAnotherCluster: boolean }
/** 202: everything is closed as at a SIGTERM, and then started again. */
export type RestartReply = { isRestarting: true }
/**
 * How one part of JARVIS is. `text`: what was seen, `effect`: what does not work because of it, both in words for a person;
 * `at`: when it last answered, Unix ms.
 */
export type PartStatus = {
  name: string
  health: 'ok' | 'warn' | 'bad' | 'unknown'
  text: string
  effect?: string
  at?: number
}
/** `hash`: of the policy.yaml in force, absent where there is none. `problems`: why the file as it is now is not in force. `warnings`: what in it means nothing now. */
export type PolicyStatus = { profile: ProfileName; hash?: string; problems?: string[]; warnings?: string[] }

export const SettingsBody = z.strictObject({ profile: ProfileName })
/**
 * `profiles`: all there are, from strictest to loosest. `protectedTargets`: `node/NAME`, `vm/ID`, …, which nothing may change.
 * `unseenTargets`: those of them that name nothing in this cluster. `ssh`: as configured; absent `keyPath`: the agent alone, where there is one. `shippedPersona`: what SOUL.md held at first.
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
  /** How a call ended: `done`, `failed`, `unknown`, `rehearsed`. */
  outcome: z.string().max(50).optional(),
})
export type JournalQuery = z.infer<typeof JournalQuery>

/** One line of the journal. `hash` covers the entry and the hash before it. */
export type JournalEntry = { seq: number; at: number; kind: string; body: unknown; hash: string }
/** `besides`: further entries of the same calls, which the filter or the page leaves out; a result need not say who asked. */
export type JournalPage = Page<JournalEntry> & { besides?: JournalEntry[] }
/** `entries`: how many were looked at. `brokenAt`: the first entry that is not as it was written, `reason` in plain words. */
export type JournalVerification = { ok: boolean; entries: number; brokenAt?: number; reason?: string }

export const McpTokenBody = z.strictObject({
  name: z.string().max(64),
  isReadOnly: z.boolean().default(false),
  expiresInDays: z.int().min(1).max(3_650).optional(),
})
/** A token of an MCP client: it may call tools, and can never decide. Unix ms. */
export type McpTokenInfo = {
  name: string
  isReadOnly: boolean
  createdAt: number
  expiresAt?: number
  lastUsedAt?: number
  /** What the client calls itself, where an operator signed it in rather than made the token. */
  clientName?: string
}
/** `token`: shown this once. */
export type McpTokenReply = McpTokenInfo & { token: string }

export const LogsQuery = z.strictObject({ level: z.enum(['error', 'warn', 'info', 'debug']).default('debug') })
/** A line of the server's own log, redacted. `detail`: an error's stack or further fields. */
export type LogLine = { id: number; at: number; level: string; message: string; detail?: string }

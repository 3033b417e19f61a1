import { z } from 'zod'
import { AgentId } from './agent.ts'
import { Alternative } from './alternative.ts'
import { BranchedFrom, MessageBody } from './chat.ts'
import { GrantRequest } from './grant.ts'
import { Effort } from './models.ts'
import { pageOf } from './page.ts'
import { DecisionProof, PasskeyAssertion } from './passkey.ts'
import { PersonRef } from './person.ts'
import { Role } from './role.ts'
import { Card, Decision, Effect, GlassBroken, ProfileName, Tier, Verdict } from './tier.ts'
import { Usage } from './transcript.ts'
import { GoesBackAfterMin, UndoFacts } from './undo.ts'

/** `name`: may be absent if there is only one owner. `code`: a code of the second factor, or a recovery code. */
export const LoginBody = z.strictObject({
  name: z.string().max(200).optional(),
  password: z.string().max(1_000),
  code: z.string().max(100).optional(),
})
/** `code`: required for a person with a second factor. */
export const PasswordBody = z.strictObject({
  current: z.string().max(1_000),
  next: z.string().max(1_000),
  code: LoginBody.shape.code,
})
/** The password (with a code if one is required) or a passkey, given again for an action that a token alone does not allow. */
export const StepUpBody = z
  .strictObject({
    password: LoginBody.shape.password.optional(),
    code: LoginBody.shape.code.optional(),
    passkey: PasskeyAssertion.optional(),
  })
  .refine(
    ({ password, passkey }) => (password === undefined) !== (passkey === undefined),
    'must have password or passkey',
  )
/** `expiresIn`: how long the token stays elevated, seconds. */
export const StepUpReply = z.object({ expiresIn: z.number() })
export type StepUpReply = z.infer<typeof StepUpReply>
/** `expiresIn`: seconds until the sign-in ends in any case. `role`: the older name on the wire for `person.role`. */
/** The access of a person that ended: the clients that were signed in, unchecked, and the names of what was paired with channels and web push. */
export const EndedAccess = z.object({ signIns: z.array(z.string()), pairings: z.array(z.string()) })
export type EndedAccess = z.infer<typeof EndedAccess>
export const LoginReply = z.object({
  token: z.string(),
  expiresIn: z.number(),
  role: Role,
  person: PersonRef,
  /** After a change of the password: what it ended. */
  ended: EndedAccess.optional(),
})
export type LoginReply = z.infer<typeof LoginReply>
/** `LoginReply` as sent. `token`: absent if the reply sets a cookie instead. */
export const SignInReply = LoginReply.extend({ token: z.string().optional() })
export type SignInReply = z.infer<typeof SignInReply>

export const SessionCreateBody = z
  .strictObject({
    title: z.string().trim().min(1).max(200).optional(),
    /** The agent that the session belongs to; absent: `main`. */
    agent: AgentId.optional(),
    /** Begins the session with a run, as `POST /api/sessions/:id/messages` does. */
    message: MessageBody.shape.message.optional(),
    requestId: MessageBody.shape.requestId,
    model: MessageBody.shape.model,
    attachments: MessageBody.shape.attachments,
    isReadOnly: MessageBody.shape.isReadOnly,
    /** The session is a rehearsal from its first message on. */
    isRehearsal: z.literal(true).optional(),
  })
  .refine(
    ({ message, title: _, agent: __, ...ofRun }) =>
      message !== undefined || Object.values(ofRun).every((value) => value === undefined),
    'requestId, model, attachments, isReadOnly and isRehearsal need a message',
  )
/** An operator's rating of an answer. `rating` null withdraws it. */
export const RatingBody = z.strictObject({
  rating: z.enum(['up', 'down']).nullable(),
  note: z.string().trim().min(1).max(2_000).optional(),
})
/**
 * `isRehearsal`: calls that change something only describe the change. `model`: null: the model in use. `effort`: null: the effort of the settings.
 */
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
 * `before`: seq of a message; the branch holds another version of it. `after`: seq of an answer; the branch is a separate session. `model`: the
 * model that answers in the branch.
 */
export const SessionBranchBody = z
  .strictObject({
    before: seq.optional(),
    after: seq.optional(),
    model: z.string().max(200).optional(),
    /** Also restores the files that JARVIS wrote after that point, unless somebody edited them since. */
    restoreFiles: z.boolean().optional(),
  })
  .refine(({ before, after }) => (before === undefined) !== (after === undefined), 'must name before or after')
const cursor = (pattern: RegExp) => z.string().max(100).regex(pattern, 'must be a cursor from `next`').optional()
/** `limit` 1..200; `before`: a cursor from `next`. */
export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  before: cursor(/^\d{1,15}$/),
})
/** Where a session began: in the dashboard, over MCP, by a job, or by a program over `/v1`. */
export const SessionSource = z.enum(['chat', 'mcp', 'job', 'v1'])
export type SessionSource = z.infer<typeof SessionSource>
/** `q`: words in titles and messages, `"quoted"` for exact text. `archived`: leave archived sessions out, only those, or all. */
export const SessionsQuery = PageQuery.extend({
  before: cursor(/^\d{1,15}\..+$/),
  q: z.string().max(200).optional(),
  /** Absent: all sessions except those of jobs and of programs. */
  source: SessionSource.optional(),
  archived: z.enum(['no', 'only', 'all']).default('no'),
  agent: z.string().max(60).optional(),
  /** The id of the person who owns the sessions. */
  person: z.string().max(60).optional(),
  /** The id of a channel on which the sessions were used. */
  channel: z.string().max(60).optional(),
  /** The sessions that last changed at or after `since` and before `until`, Unix ms. */
  since: z.coerce.number().int().min(0).optional(),
  until: z.coerce.number().int().min(0).optional(),
})
export const ConfirmBody = z.strictObject({
  confirmed: z.boolean(),
  note: z.string().max(2_000).optional(),
  alternative: Alternative.optional(),
  grant: GrantRequest.optional(),
  goesBackAfterMin: GoesBackAfterMin.optional(),
  proof: DecisionProof.optional(),
})
/** `z.custom`, because `z.record` drops a key named `__proto__`, which must be refused like any other. */
const AnyObject = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
)
export const ClassifyBody = z.strictObject({ input: AnyObject })
/** The verdict that a call would get. `preview`: the effect as its card would state it; absent if the call's tool has no preview. */
export const ClassifyReply = Verdict.pick({ tier: true, rule: true, reason: true }).extend({
  preview: z
    .object({
      now: z.string().optional(),
      then: z.string().optional(),
      undo: UndoFacts,
      mayGoBack: z.literal(true).optional(),
    })
    .optional(),
})
export type ClassifyReply = z.infer<typeof ClassifyReply>

/** The versions of the message at `entry`, oldest first, each as the id of its session. `shown`: index of the requested session. */
export const Versions = z.object({ entry: z.number(), sessionIds: z.array(z.string()), shown: z.number() })
export type Versions = z.infer<typeof Versions>

/** Rights of a person in a conversation that is shared with them. `look`: to read it. `talk`: also to write in it. */
export const ShareMay = z.enum(['look', 'talk'])
export type ShareMay = z.infer<typeof ShareMay>
export const SessionShareBody = z.strictObject({ may: ShareMay })
/** A person with whom a conversation is shared. `by`: the id of the person who shared it. `at`: Unix ms. */
export const SessionShare = z.object({
  person: z.string(),
  name: z.string(),
  may: ShareMay,
  by: z.string(),
  at: z.int(),
})
export type SessionShare = z.infer<typeof SessionShare>

export const SessionSummary = z.object({
  id: z.string(),
  title: z.string(),
  source: SessionSource,
  createdAt: z.number(),
  updatedAt: z.number(),
  isRehearsal: z.boolean(),
  isRunning: z.boolean(),
  /** How many cards and questions of the session wait for a person. */
  pendingCount: z.number(),
  archivedAt: z.number().optional(),
  model: z.string().optional(),
  /** The effort chosen for the session; absent: as in the settings. */
  effort: Effort.optional(),
  /** The agent that the session belongs to; absent: `main`. */
  agent: z.string().optional(),
  /** The id of the person who owns the session; absent: the first owner. */
  person: z.string().optional(),
  /** The people with whom the session is [shared](people.md#share-a-conversation); absent: nobody. */
  sharedWith: z.array(SessionShare).optional(),
  branchedFrom: BranchedFrom.optional(),
  /**
   * Number of sessions that hold versions of this session's messages, itself included; absent: only itself. They are renamed, archived and deleted
   * together. A list shows one row for them, with the sums of usage, cost and cards; its `isRunning` is true if any of them runs.
   */
  versions: z.number().optional(),
  /** Number of messages that people, programs and jobs sent in it. Only lists have it. */
  messages: z.number().optional(),
  /** The first words of its newest answer; absent if there is none. Only lists have it. */
  preview: z.string().optional(),
  /** Token usage of the session's answers, without answers that were copied into a branch; absent until counted. */
  usage: Usage.optional(),
  /** Some answers ended before they were fully counted: `usage` and `costUsd` are lower bounds. */
  isUsagePartial: z.literal(true).optional(),
  /** US dollars; absent if a price is unknown. */
  costUsd: z.number().optional(),
  /** The part of the model's context window that the session's next message would use. Only `GET /api/sessions/:id` has it. */
  context: z.object({ usedTokens: z.number(), limitTokens: z.number() }).optional(),
  /** The message that matches the search, cut around the found words. `seq`: its entry. */
  found: z.object({ seq: z.number(), text: z.string() }).optional(),
})
export type SessionSummary = z.infer<typeof SessionSummary>
/** `isIndexing`: some sessions are not searched and counted yet. `total`: the number of sessions; only on the first page, and without a search. */
export const SessionsPage = pageOf(SessionSummary).extend({
  isIndexing: z.literal(true).optional(),
  total: z.number().optional(),
})
export type SessionsPage = z.infer<typeof SessionsPage>

/** A confirmation in `/api/confirmations`: the card, its session, and its outcome. */
export const ConfirmationRow = Card.extend({
  sessionId: z.string(),
  decision: Decision.optional(),
  decidedBy: z.string().optional(),
  decidedAt: z.number().optional(),
  /** The channel through which a person decided. */
  via: z.string().optional(),
  note: z.string().optional(),
  replacedBy: z.string().optional(),
  /** When a denial was lifted. */
  liftedAt: z.number().optional(),
  /** Time until which the call is refused without a new card, after an MCP client's call was denied; absent if the call may ask again. */
  refusedUntil: z.number().optional(),
  /** Outcome of an approved call; absent while it runs. `unknown`: the call may have run. */
  outcome: z.enum(['done', 'failed', 'unknown']).optional(),
})
export type ConfirmationRow = z.infer<typeof ConfirmationRow>

/**
 * `effects`: all effects that calls of the tool can have. `raises`: the conditions that raise a call's tier above `tier`, strictest first; absent:
 * none.
 */
export const ToolInfo = z.object({
  name: z.string(),
  description: z.string(),
  tier: Tier,
  effects: z.array(Effect).readonly().optional(),
  raises: z.array(z.object({ tier: Tier, rule: z.string(), words: z.string() })).optional(),
  inputSchema: z.record(z.string(), z.unknown()),
})
export type ToolInfo = z.infer<typeof ToolInfo>

/** Number of calls of each tool in the last week. `refused`: refused calls of all tools. `since`: start of the week, Unix ms. */
export const ToolCalls = z.object({ since: z.number(), calls: z.record(z.string(), z.number()), refused: z.number() })
export type ToolCalls = z.infer<typeof ToolCalls>

/**
 * The reply to a request without a token; `/api/status` has more for signed-in clients. `database`: another process holds the database, so writes
 * wait; absent: none does.
 */
export const Health = z.object({
  status: z.enum(['ok', 'shutting_down']),
  version: z.string(),
  uptime: z.number(),
  database: z.literal('busy').optional(),
})
export type Health = z.infer<typeof Health>
/**
 * Saved settings that the next start uses. `urls`: addresses of the cluster, empty for the demo; absent: unchanged. `hasNewSsh`: account, key or
 * node addresses changed. `isAnotherCluster`: the runs, cards and grants of the present cluster end.
 */
export const NextStart = z.object({
  urls: z.array(z.string()).optional(),
  hasNewSsh: z.boolean(),
  isAnotherCluster: z.boolean(),
})
export type NextStart = z.infer<typeof NextStart>
/**
 * Health of one part of JARVIS. `text`: what was observed; `effect`: what does not work because of it; both for a person. `at`: when the part last
 * answered, Unix ms.
 */
export const PartStatus = z.object({
  name: z.string(),
  health: z.enum(['ok', 'warn', 'bad', 'unknown']),
  text: z.string(),
  effect: z.string().optional(),
  at: z.number().optional(),
})
export type PartStatus = z.infer<typeof PartStatus>
/**
 * `hash`: the hash of the policy.yaml in force; absent: there is none. `problems`: why the file on disk is not in force. `warnings`: entries that
 * have no effect now.
 */
export const PolicyStatus = z.object({
  profile: ProfileName,
  hash: z.string().optional(),
  problems: z.array(z.string()).optional(),
  warnings: z.array(z.string()).optional(),
  /** An owner may approve alone what several people must approve. */
  mayBreakGlass: z.literal(true).optional(),
})
export type PolicyStatus = z.infer<typeof PolicyStatus>
/** State of the running server for the dashboard. */
export const Status = z.object({
  version: z.string(),
  uptimeS: z.number(),
  model: z.string(),
  /** Models that `chat:send` may name. The model in use is first. */
  models: z.array(z.string()),
  isDemoModel: z.boolean(),
  isDemoCluster: z.boolean(),
  /** True if terminals are on, at `/terminal`. */
  hasTerminal: z.boolean(),
  /** Speech can be turned into text. */
  hasSpeech: z.literal(true).optional(),
  policy: PolicyStatus,
  /** Calls that an owner approved alone in the last day although others must approve too. Absent: none. */
  glassBroken: z.array(GlassBroken).optional(),
  parts: z.array(PartStatus),
  /** Saved settings that the next start uses; absent if all saved settings are in use. */
  nextStart: NextStart.optional(),
  /** Why a start now would fail, naming the variable. */
  cannotStart: z.string().optional(),
})
export type Status = z.infer<typeof Status>
/** Reply with status 202: the server shuts down as at SIGTERM and starts again. */
export const RestartReply = z.object({ isRestarting: z.literal(true) })
export type RestartReply = z.infer<typeof RestartReply>

export const SettingsBody = z.strictObject({ profile: ProfileName })
/**
 * `profiles`: from strictest to loosest. `protectedTargets`: `node/NAME`, `vm/ID`, …: no call may change them. `unseenTargets`: protected targets
 * that do not exist in this cluster. `ssh`: as configured; without `keyPath` only the SSH agent is used. `shippedPersona`: the original content of
 * SOUL.md.
 */
export const SettingsReply = z.object({
  profile: ProfileName,
  profiles: z.array(z.object({ name: ProfileName, description: z.string() })),
  protectedTargets: z.array(z.string()),
  unseenTargets: z.array(z.string()),
  ssh: z.object({
    user: z.string(),
    keyPath: z.string().optional(),
    hasAgent: z.boolean(),
    knownHostsPath: z.string(),
  }),
  shippedPersona: z.string(),
})
export type SettingsReply = z.infer<typeof SettingsReply>

/** `before`: the `next` of the page before. `actor`: an operator, a model, an MCP client or its token. */
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
  /** Selects entries that contain the signature of a decision. */
  signed: z.literal('true').optional(),
  /** Selects entries whose text has all of these words, in any case. For persons to whom no conversation is closed. */
  words: z.string().max(200).optional(),
  /** Selects entries of this time or later, Unix ms. */
  from: z.coerce.number().int().nonnegative().optional(),
  /** Selects entries before this time, Unix ms. */
  to: z.coerce.number().int().nonnegative().optional(),
})
export type JournalQuery = z.infer<typeof JournalQuery>

/** One line of the journal. `hash` covers the entry and the previous hash. */
export const JournalEntry = z.object({
  seq: z.number(),
  at: z.number(),
  kind: z.string(),
  body: z.unknown(),
  hash: z.string(),
})
export type JournalEntry = z.infer<typeof JournalEntry>
/**
 * `besides`: entries of the same calls that the filter or the page leaves out. They are needed because the entry of a result does not name who
 * asked.
 */
export const JournalPage = pageOf(JournalEntry).extend({ besides: z.array(JournalEntry).optional() })
export type JournalPage = z.infer<typeof JournalPage>
/** `entries`: number of checked entries. `brokenAt`: the first altered entry. `reason`: how it was altered, in words. */
export const JournalVerification = z.object({
  ok: z.boolean(),
  entries: z.number(),
  brokenAt: z.number().optional(),
  reason: z.string().optional(),
})
export type JournalVerification = z.infer<typeof JournalVerification>

/** A setting as it is in force. `value` absent: the default counts. A secret is never shown: its value is `set`. */
export const SettingInForce = z.object({
  name: z.string(),
  section: z.string(),
  /** The description, in Markdown. */
  about: z.string(),
  /** In Markdown. */
  default: z.string(),
  value: z.string().optional(),
  isSecret: z.literal(true).optional(),
  source: z.enum(['environment', '.env', 'settings.env', 'default']),
  /** The dashboard saved another value, which does not count. */
  isOverridden: z.literal(true).optional(),
  /** Where the value is changed, in words. */
  changedIn: z.string(),
})
export type SettingInForce = z.infer<typeof SettingInForce>
/** `q`: only lines with this text, in the message or its details, in any case. */
export const LogsQuery = z.strictObject({
  level: z.enum(['error', 'warn', 'info', 'debug']).default('debug'),
  q: z.string().max(200).optional(),
})
export type LogsQuery = z.infer<typeof LogsQuery>
/** A line of the server's log, redacted. `detail`: an error's stack, or more fields. */
export const LogLine = z.object({
  id: z.number(),
  at: z.number(),
  level: z.string(),
  message: z.string(),
  detail: z.string().optional(),
})
export type LogLine = z.infer<typeof LogLine>
export type RatingBody = z.infer<typeof RatingBody>

import { z } from 'zod'
import { Attachment } from './attachment.ts'
import { MessageId, RunId, ToolUseId } from './ids.ts'
import { Image } from './image.ts'
import { SignedBy } from './passkey.ts'
import { TodoItem } from './plan.ts'
import { Question, QuestionId, QuestionResolution } from './question.ts'
import { Card, Decision, Tier } from './tier.ts'
import { View } from './view.ts'

/** Numbers of tokens. `inputTokens` excludes cached tokens, so the total input is the sum of three fields. */
export const Usage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadTokens: z.int(),
  cacheWriteTokens: z.int(),
})
export type Usage = z.infer<typeof Usage>
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

export const ToolInput = z.record(z.string(), z.unknown())
export type ToolInput = z.infer<typeof ToolInput>

/** One part of a model's turn, in the model's order. */
export const Content = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  /** Thinking. It is sent back unchanged to the provider that signed it, and left out for other providers. */
  z.object({
    type: z.literal('thinking'),
    text: z.string(),
    signature: z.string().optional(),
    /**
     * Digest of everything that the model had read before this thinking. The thinking is sent back only if the same text precedes it. Clients do not
     * see the digest.
     */
    after: z.string().optional(),
    /** The thinking is not signed, but the provider requires it back with the calls that followed. Clients do not see this field. */
    isWantedBack: z.literal(true).optional(),
  }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string(), after: z.string().optional() }),
  z.object({
    type: z.literal('tool_call'),
    toolUseId: ToolUseId,
    toolName: z.string(),
    toolInput: ToolInput,
    /** Why the model's JSON is not a valid object. Such a call never runs. */
    malformed: z.string().optional(),
    /** Further data that the provider requires back unchanged, such as a signature. Clients do not see it. */
    extra: z.record(z.string(), z.unknown()).optional(),
  }),
])
export type Content = z.infer<typeof Content>
export type ToolCall = Extract<Content, { type: 'tool_call' }>

/** Why a model's reply ended. `interrupted`: it was stopped from outside, or the stream broke; the received part is kept. */
export const TurnStop = z.enum(['end_turn', 'tool_use', 'max_tokens', 'refusal', 'pause_turn', 'interrupted'])
export type TurnStop = z.infer<typeof TurnStop>
/**
 * Why a run ended. `stuck`: the same calls had the same outcomes again and again. `budget`: the next model call would have passed a limit.
 * `unanswered`: the model said nothing, or only wrote its calls as text.
 */
export const StopReason = z.enum([
  'end_turn',
  'max_tokens',
  'refusal',
  'loop_limit',
  'stuck',
  'budget',
  'aborted',
  'unanswered',
])
export type StopReason = z.infer<typeof StopReason>

/** A passage of the memory that the model received with a message. */
export const Recalled = z.object({
  kind: z.enum(['file', 'session', 'journal']),
  /** A file's path in the workspace, a session's id, or `journal/2026-01-31`. */
  name: z.string(),
  title: z.string(),
  firstLine: z.int(),
  lastLine: z.int(),
  /** When it was written, Unix ms, as far as that is known. */
  changedAt: z.int(),
  /** Tools or other people wrote the passage, so it is treated as data. */
  isFromTools: z.boolean(),
  /** Set for a passage with `isFromTools` that JARVIS itself wrote and that contains no long quotes of foreign text. */
  isOwnNote: z.literal(true).optional(),
  text: z.string(),
  /** Why the passage was recalled, in a few words. Entries of earlier versions have none. */
  why: z.string().optional(),
})
export type Recalled = z.infer<typeof Recalled>

/** `seq`: position in the session, from 0; grows with every event. `at`: Unix ms. */
const base = { seq: z.int().nonnegative(), runId: RunId, at: z.int() }

/** Cost of a run. */
const spent = {
  /** Some tokens were not counted: `usage` and `costUsd` are lower bounds. */
  isUsagePartial: z.literal(true).optional(),
  /** US dollars at the prices when the run ended; absent if a price is unknown. */
  costUsd: z.number().optional(),
}

/**
 * The child run that a call of `delegate` started: the first entry of that run, and the last one before its end. `toolUseId`: the call. `agent`: the
 * agent that works. `for`: the agent that asked.
 */
const ofSubrun = {
  ...base,
  type: z.literal('subrun'),
  toolUseId: ToolUseId,
  agent: z.string(),
  for: z.string(),
}
/** `unknown`: a call of the child run may have run. `stopped`: a person stopped the child run, or it stopped together with the run that asked. */
export const SubrunState = z.enum(['done', 'failed', 'stopped', 'unknown'])
export type SubrunState = z.infer<typeof SubrunState>
export const Subrun = z.discriminatedUnion('change', [
  z.object({
    ...ofSubrun,
    change: z.literal('begin'),
    /** The task. A model wrote it, so it does not count as a person's words. */
    task: z.string(),
    /** The tools that the child run may use; absent: all of the agent's tools. */
    tools: z.array(z.string()).optional(),
    /** The child run's share of the budget, tokens. */
    mostTokens: z.int().optional(),
  }),
  z.object({
    ...ofSubrun,
    change: z.literal('end'),
    state: SubrunState,
    /** The person who stopped it. */
    by: z.string().optional(),
    /** One line for a person. */
    summary: z.string(),
    calls: z.int(),
    tokens: z.int(),
    costUsd: z.number().optional(),
    durationMs: z.number(),
  }),
])

/** `GET /api/sessions/:id/children`: a child run. `calls`, `tokens`, `costUsd`: so far. `summary`: its result. */
export const ChildRunRow = z.object({
  runId: RunId,
  /** The run that asked; `toolUseId` is its call. */
  parentRunId: RunId,
  toolUseId: ToolUseId,
  agent: z.string(),
  for: z.string(),
  task: z.string(),
  tools: z.array(z.string()).optional(),
  mostTokens: z.int().optional(),
  state: z.enum([...SubrunState.options, 'working']),
  summary: z.string().optional(),
  calls: z.int(),
  tokens: z.int(),
  costUsd: z.number().optional(),
  startedAt: z.int(),
  endedAt: z.int().optional(),
})
export type ChildRunRow = z.infer<typeof ChildRunRow>

/**
 * A fact that code, not a model, extracted from folded entries, for a model and for people. `kind`: `change`, `unknown`, `denied`, `order`, `said`,
 * `grant` or `plan`; more may be added. `of`: the subject, such as a call. `text`: the outcome. `id`: the id of the call or the record.
 */
export const Fact = z.object({
  kind: z.string(),
  id: z.string().optional(),
  of: z.string(),
  text: z.string(),
  at: z.int(),
})
export type Fact = z.infer<typeof Fact>

/** An entry of a session's transcript. Each is also sent as the event `chat:<type>` with `sessionId` added. */
export const Entry = z.discriminatedUnion('type', [
  z.object({
    ...base,
    type: z.literal('user'),
    messageId: MessageId,
    text: z.string(),
    by: z.string(),
    /** The channel through which a person wrote the message; absent: the dashboard or the command line. */
    via: z.string().optional(),
    /** Name of the token of the program that sent it over `/v1`. */
    token: z.string().optional(),
    /**
     * A job sent the message in the name of `by`. `isForeign`: a model or a client wrote the job's text, so the message does not count as a person's
     * words.
     */
    job: z.object({ id: z.string(), slot: z.int(), isForeign: z.literal(true).optional() }).optional(),
    /** Files that came with the message. Their content is data and does not count as a person's words. */
    attachments: z.array(Attachment).optional(),
  }),
  /** Passages of the memory that the model received with the preceding message. */
  z.object({ ...base, type: z.literal('recalled'), items: z.array(Recalled) }),
  /**
   * The text of a skill that a person named with `/NAME`. The model received it with the preceding message. `hash`: the hash of the approved files.
   */
  z.object({ ...base, type: z.literal('skill'), name: z.string(), hash: z.string(), text: z.string() }),
  z.object({
    ...base,
    type: z.literal('assistant'),
    /** `provider/model`. If no model made the entry, clients that do not know `madeBy` receive `command` or `mcp` here. */
    model: z.string().optional(),
    /** The maker of an entry that no model made: an operator's command, an MCP client's call, or JARVIS itself. */
    madeBy: z.enum(['operator', 'client', 'jarvis']).optional(),
    /**
     * The denied call that this call of the operator replaces. `by`: the person whose call this is. A model reads this call's outcome together with
     * the denial.
     */
    insteadOf: z.object({ toolUseId: ToolUseId, by: z.string() }).optional(),
    content: z.array(Content),
    usage: Usage,
    /** The reply ended before the provider had counted everything: `usage` is a lower bound. */
    isUsagePartial: z.literal(true).optional(),
    stopReason: TurnStop,
    /**
     * Calls of the model that were not run. `why` is `text` if the model wrote the calls as text, and `cut` if the reply was cut off within a call.
     * The last text of `content` is JARVIS's remark about these calls.
     */
    unmade: z.object({ why: z.enum(['text', 'cut']), toolNames: z.array(z.string()) }).optional(),
    /**
     * Sentences that the answer quotes as “…” and that a person may send by one click. Only the demo model, which is code, offers them: a language
     * model must not put words into a person's mouth.
     */
    suggestions: z.array(z.string()).optional(),
    /** The answer asks if a suggestion is to be carried out, so that `ok` is consent. */
    isAsked: z.literal(true).optional(),
  }),
  z.object({
    ...base,
    type: z.literal('tool_use'),
    toolUseId: ToolUseId,
    toolName: z.string(),
    toolInput: ToolInput,
    tier: Tier,
    /** The call is proven to change nothing, whatever its tier, such as a read over SSH. */
    isRead: z.literal(true).optional(),
    /** The form in which a screen shows the call, if its tool declares one. */
    view: View.optional(),
    /** The grant that let the call run without a card, and who made the grant. */
    grantId: z.string().optional(),
    by: z.string().optional(),
  }),
  z.object({
    ...base,
    type: z.literal('tool_result'),
    toolUseId: ToolUseId,
    /** The text that the model reads. */
    result: z.string(),
    isError: z.boolean(),
    /** One line for a person. */
    summary: z.string(),
    durationMs: z.number(),
    /** JARVIS stopped during the call, and the cluster does not show the call's outcome. */
    isUnknown: z.literal(true).optional(),
    /** Rehearsal: the result says what would run, and nothing ran. */
    isRehearsal: z.literal(true).optional(),
    /** The program that requested the run has to carry the call out. Its outcome is not known here. */
    isHandedOut: z.literal(true).optional(),
    /** The result as structured data for the dashboard. */
    data: z.unknown().optional(),
    images: z.array(Image).optional(),
    /** Files that the call wrote in the session's own folder, as paths in it: `report.md`. */
    files: z.array(z.string()).optional(),
  }),
  /** The model's whole to-do list, as `update_plan` set it. It starts nothing. */
  z.object({ ...base, type: z.literal('plan'), toolUseId: ToolUseId, items: z.array(TodoItem) }),
  z.object({ ...base, type: z.literal('confirm_needed'), ...Card.shape }),
  z.object({
    ...base,
    type: z.literal('confirm_resolved'),
    toolUseId: ToolUseId,
    decision: Decision,
    by: z.string(),
    /** The channel through which a person decided. */
    via: z.string().optional(),
    note: z.string().optional(),
    /** Set with a denial: the call that the operator makes instead. */
    alternative: z.object({ toolUseId: ToolUseId, toolName: z.string(), toolInput: ToolInput }).optional(),
    /** The call's id, if the card has another id. */
    callId: ToolUseId.optional(),
    /**
     * Set if the card's facts changed, so that this decision does not settle the call: the id of the card that replaces it, or the call's own id if
     * its refusal or result follows.
     */
    replacedBy: ToolUseId.optional(),
    /** The key that signed the approval; absent: not signed. */
    signed: SignedBy.optional(),
  }),
  z.object({
    ...base,
    type: z.literal('blocked'),
    toolUseId: ToolUseId,
    toolName: z.string(),
    toolInput: ToolInput,
    reason: z.string(),
    rule: z.string(),
    tier: z.literal('black'),
  }),
  z.object({ ...base, type: z.literal('question'), ...Question.shape }),
  z.object({
    ...base,
    type: z.literal('question_resolved'),
    questionId: QuestionId,
    toolUseId: ToolUseId,
    /** The attached server that asked. An answer to it does not count as an order to JARVIS. */
    server: z.string().optional(),
    ...QuestionResolution.shape,
  }),
  /** The outcome of a call that was unknown before. A later look at the cluster found it. */
  z.object({
    ...base,
    type: z.literal('reconciled'),
    toolUseId: ToolUseId,
    toolName: z.string(),
    outcome: z.enum(['done', 'failed']),
    text: z.string(),
  }),
  Subrun,
  /** An operator's rating of the answer `of`. The newest rating counts, and null withdraws it. No model reads it. */
  z.object({
    ...base,
    type: z.literal('rating'),
    of: z.int(),
    rating: z.enum(['up', 'down']).nullable(),
    note: z.string().optional(),
    by: z.string(),
  }),
  /**
   * A compaction. From here on, a model gets `facts` and `text` instead of the entries up to `upTo`. The entries themselves stay. `what`: `results`
   * means that only the tool results up to `upTo` are replaced, each by its `summary`.
   */
  z.object({
    ...base,
    type: z.literal('compaction'),
    what: z.enum(['turns', 'results']),
    /**
     * `asked`: a person asked. `runs`: the session has more runs than are sent. `window`: the model's window filled up. `refused`: the model's
     * server refused the request as too long.
     */
    why: z.enum(['asked', 'runs', 'window', 'refused']),
    upTo: z.int(),
    /** Number of folded entries, or of replaced results. */
    count: z.int(),
    facts: z.array(Fact),
    /** A model's summary of the folded entries, unchecked; empty: there are only facts. */
    text: z.string(),
    /** Estimated tokens of the request before and after the compaction. */
    tokensBefore: z.int(),
    tokensAfter: z.int(),
    /** The model that wrote `text`, and its usage and cost, also if the text was not used. */
    model: z.string().optional(),
    usage: Usage.optional(),
    isUsagePartial: z.literal(true).optional(),
  }),
  /**
   * An event of the limits on the use of models. `near`: the run could reach 90 % of a limit. `raised`: the person `by` allowed this run more, US
   * dollars. `stopped`: the next model call would pass a limit, so at most one answer without tools follows.
   */
  z.object({
    ...base,
    type: z.literal('budget'),
    what: z.enum(['near', 'raised', 'stopped']),
    text: z.string(),
    by: z.string().optional(),
    usd: z.number().optional(),
    /** The model's price is not known, so the limit in tokens decided. */
    isUnpriced: z.literal(true).optional(),
  }),
  /** The same calls had the same outcomes again and again, so at most one answer without tools follows. `text`: the calls and their outcomes. */
  z.object({ ...base, type: z.literal('stuck'), text: z.string() }),
  /**
   * The model's server refused pictures: from here on, messages are sent without them. `pictures`: their ids. `text`: the refused pictures in words,
   * for a person.
   */
  z.object({ ...base, type: z.literal('picture_refused'), pictures: z.array(z.string()), text: z.string() }),
  z.object({
    ...base,
    type: z.literal('done'),
    usage: Usage,
    stopReason: StopReason,
    ...spent,
  }),
  z.object({
    ...base,
    type: z.literal('error'),
    error: z.string(),
    code: z.string(),
    /** Absent in runs of older releases. */
    usage: Usage.optional(),
    ...spent,
  }),
])
export type Entry = z.infer<typeof Entry>
export type EntryOf<T extends Entry['type']> = Extract<Entry, { type: T }>

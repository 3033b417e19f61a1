import { z } from 'zod'
import { Attachment } from './attachment.ts'
import { MessageId, RunId, ToolUseId } from './ids.ts'
import { Image } from './image.ts'
import { SignedBy } from './passkey.ts'
import { TodoItem } from './plan.ts'
import { Question, QuestionId, QuestionResolution } from './question.ts'
import { Card, Decision, Tier } from './tier.ts'
import { View } from './view.ts'

/** Tokens. `inputTokens` excludes cached ones, so the total input is the sum of three fields. */
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
  /** Sent back unchanged to the provider that signed it; dropped for any other. */
  z.object({
    type: z.literal('thinking'),
    text: z.string(),
    signature: z.string().optional(),
    /** Digest of all that the model had read before. The thinking is kept only after exactly that. Clients do not see it. */
    after: z.string().optional(),
    /** Unsigned, but the provider wants it back with the calls that followed. Clients do not see it. */
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
    /** Further data of the provider that it wants back unchanged, such as a signature. Clients do not see it. */
    extra: z.record(z.string(), z.unknown()).optional(),
  }),
])
export type Content = z.infer<typeof Content>
export type ToolCall = Extract<Content, { type: 'tool_call' }>

/** Why a model's reply ended. `interrupted`: stopped from outside, or the stream broke; what arrived is kept. */
export const TurnStop = z.enum(['end_turn', 'tool_use', 'max_tokens', 'refusal', 'pause_turn', 'interrupted'])
export type TurnStop = z.infer<typeof TurnStop>
/**
 * Why a run ended. `stuck`: the same calls had the same outcomes again and again. `budget`: its next call would have passed a limit. `unanswered`: the
 * model said nothing, or only wrote its calls as text.
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
  changedAt: z.int(),
  /** Written by tools or others, so it is treated as data. */
  isFromTools: z.boolean(),
  /** A passage of `isFromTools` that JARVIS wrote down by itself, and that repeats no stranger's text at length. */
  isOwnNote: z.literal(true).optional(),
  text: z.string(),
})
export type Recalled = z.infer<typeof Recalled>

/** `seq`: position in the session, from 0; grows with every event. `at`: Unix ms. */
const base = { seq: z.int().nonnegative(), runId: RunId, at: z.int() }

/** Cost of a run. */
const spent = {
  /** Not everything was counted: `usage` and `costUsd` are lower bounds. */
  isUsagePartial: z.literal(true).optional(),
  /** US dollars at the prices when the run ended; absent where a price is unknown. */
  costUsd: z.number().optional(),
}

/**
 * Work that a call of `delegate` handed to another agent: the first line of the child's run, and the last before its end. `toolUseId` is
 * the call's, `agent` the one that works, `for` the one that asked.
 */
const ofSubrun = {
  ...base,
  type: z.literal('subrun'),
  toolUseId: ToolUseId,
  agent: z.string(),
  for: z.string(),
}
/** `unknown`: a call of it may have run. `stopped`: by a person, or with the run that asked. */
export const SubrunState = z.enum(['done', 'failed', 'stopped', 'unknown'])
export type SubrunState = z.infer<typeof SubrunState>
export const Subrun = z.discriminatedUnion('change', [
  z.object({
    ...ofSubrun,
    change: z.literal('begin'),
    /** A model wrote it: no person's words. */
    task: z.string(),
    /** The tools that it may use; absent: all of the agent's. */
    tools: z.array(z.string()).optional(),
    /** Its share of the budget. */
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

/** `GET /api/sessions/:id/children`: a child run. `calls`, `tokens`, `costUsd`: so far; `summary`: what it came to. */
export const ChildRunRow = z.object({
  runId: RunId,
  /** The run that asked, and its call. */
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
 * What code made of folded entries, for a model and for people. `kind`: `change`, `unknown`, `denied`, `order`, `said`, `grant` or
 * `plan`; further kinds may come. `of`: what it is about, such as a call. `text`: what became of it. `id`: of the call or the record.
 */
export const Fact = z.object({
  kind: z.string(),
  id: z.string().optional(),
  of: z.string(),
  text: z.string(),
  at: z.int(),
})
export type Fact = z.infer<typeof Fact>

/** A line of a session's transcript. Each is also sent as the event `chat:<type>` with `sessionId` added. */
export const Entry = z.discriminatedUnion('type', [
  z.object({
    ...base,
    type: z.literal('user'),
    messageId: MessageId,
    text: z.string(),
    by: z.string(),
    /** The channel that a person wrote it on; absent: the dashboard or the command line. */
    via: z.string().optional(),
    /** Name of the token of the program that sent it over `/v1`. */
    token: z.string().optional(),
    /** A job said it, in the name of `by`. `isForeign`: a model or a client wrote it, so it counts as no person's words. */
    job: z.object({ id: z.string(), slot: z.int(), isForeign: z.literal(true).optional() }).optional(),
    /** Files that came with it. What they say is data, and no person's words. */
    attachments: z.array(Attachment).optional(),
  }),
  /** Passages of the memory that the model received with the message before. */
  z.object({ ...base, type: z.literal('recalled'), items: z.array(Recalled) }),
  /** The text of a skill that a person named with `/NAME`; the model received it with the message before. `hash`: of the approved tree. */
  z.object({ ...base, type: z.literal('skill'), name: z.string(), hash: z.string(), text: z.string() }),
  z.object({
    ...base,
    type: z.literal('assistant'),
    /** `provider/model`. Clients that do not know `madeBy` receive `command` or `mcp` where no model made the entry. */
    model: z.string().optional(),
    /** The maker of an entry that no model made: an operator's command, an MCP client's call, or JARVIS itself. */
    madeBy: z.enum(['operator', 'client', 'jarvis']).optional(),
    /** The denied call that this call of the operator's replaces, and whose it is. A model reads its outcome with the denial. */
    insteadOf: z.object({ toolUseId: ToolUseId, by: z.string() }).optional(),
    content: z.array(Content),
    usage: Usage,
    /** The reply ended before the provider had counted everything: `usage` is a lower bound. */
    isUsagePartial: z.literal(true).optional(),
    stopReason: TurnStop,
    /**
     * Calls that were not made: the model wrote them as `text`, or its reply was `cut` within one. The last text of `content` says so in JARVIS's
     * words.
     */
    unmade: z.object({ why: z.enum(['text', 'cut']), toolNames: z.array(z.string()) }).optional(),
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
    /** How a screen draws it, where its tool says so. */
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
    /** The process died during the call, and the cluster does not tell its outcome. */
    isUnknown: z.literal(true).optional(),
    /** Rehearsal: the result says what would run, and nothing ran. */
    isRehearsal: z.literal(true).optional(),
    /** The call is for the program that asked to run; what came of it is not known here. */
    isHandedOut: z.literal(true).optional(),
    /** The result as structured data for the dashboard. */
    data: z.unknown().optional(),
    images: z.array(Image).optional(),
  }),
  /** The model's own list, whole, as `update_plan` set it. It starts nothing. */
  z.object({ ...base, type: z.literal('plan'), toolUseId: ToolUseId, items: z.array(TodoItem) }),
  z.object({ ...base, type: z.literal('confirm_needed'), ...Card.shape }),
  z.object({
    ...base,
    type: z.literal('confirm_resolved'),
    toolUseId: ToolUseId,
    decision: Decision,
    by: z.string(),
    /** The channel that the decision came over. */
    via: z.string().optional(),
    note: z.string().optional(),
    /** With a denial: the call that the operator makes in its place. */
    alternative: z.object({ toolUseId: ToolUseId, toolName: z.string(), toolInput: ToolInput }).optional(),
    /** The call's id, where the card's id differs. */
    callId: ToolUseId.optional(),
    /**
     * The card's facts changed and this does not settle the call: id of the card that replaces it, or the call's own id where its refusal
     * or result follows.
     */
    replacedBy: ToolUseId.optional(),
    /** How an approval was signed; absent where it was not. */
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
    /** The attached server that asked; what was typed for it is no order to JARVIS. */
    server: z.string().optional(),
    ...QuestionResolution.shape,
  }),
  /** The outcome of a call that was unknown before, found by a later look at the cluster. */
  z.object({
    ...base,
    type: z.literal('reconciled'),
    toolUseId: ToolUseId,
    toolName: z.string(),
    outcome: z.enum(['done', 'failed']),
    text: z.string(),
  }),
  Subrun,
  /** An operator's word on the answer `of`; the newest counts, and null takes it back. No model reads it. */
  z.object({
    ...base,
    type: z.literal('rating'),
    of: z.int(),
    rating: z.enum(['up', 'down']).nullable(),
    note: z.string().optional(),
    by: z.string(),
  }),
  /**
   * From here on a model is given `facts` and `text` in place of the entries up to `upTo`. The entries stay. `what`: `results` says that
   * only the results up to there are replaced, each by its `summary`.
   */
  z.object({
    ...base,
    type: z.literal('compaction'),
    what: z.enum(['turns', 'results']),
    /** `asked`: by a person. `runs`: more runs than are sent. `window`: the model's window filled up. `refused`: the model said so. */
    why: z.enum(['asked', 'runs', 'window', 'refused']),
    upTo: z.int(),
    /** How many entries were folded, or results replaced. */
    count: z.int(),
    facts: z.array(Fact),
    /** A model's words on what was folded, unchecked; empty where the facts stand alone. */
    text: z.string(),
    /** About how many tokens the request had before, and has after it. */
    tokensBefore: z.int(),
    tokensAfter: z.int(),
    /** The model that wrote `text`, and its usage and cost, also if the words were thrown away. */
    model: z.string().optional(),
    usage: Usage.optional(),
    isUsagePartial: z.literal(true).optional(),
  }),
  /**
   * Of the limits on what models use. `near`: 90 % of one could be reached. `raised`: a person, `by`, allowed this run more, US dollars.
   * `stopped`: the next call would pass one, so at most one answer without tools follows.
   */
  z.object({
    ...base,
    type: z.literal('budget'),
    what: z.enum(['near', 'raised', 'stopped']),
    text: z.string(),
    by: z.string().optional(),
    usd: z.number().optional(),
    /** The price of the model is not known, so tokens decided. */
    isUnpriced: z.literal(true).optional(),
  }),
  /** The same calls had the same outcomes again and again; at most one answer without tools follows. `text`: which, and what came of them. */
  z.object({ ...base, type: z.literal('stuck'), text: z.string() }),
  /** The model's server refused pictures: from here on their messages are sent without them. `pictures`: their ids. `text`: which, for a person. */
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

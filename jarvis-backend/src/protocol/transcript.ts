import { z } from 'zod'
import { MessageId, RunId, ToolUseId } from './ids.ts'
import { Image } from './image.ts'
import { Card, Decision, Tier } from './tier.ts'

/** Tokens; `inputTokens` excludes cached ones, so total input is the sum of three. */
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

/** One piece of a model's turn, in the order the model gave them. */
export const Content = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  /** Echoed verbatim to the provider that signed it; dropped for any other. */
  z.object({
    type: z.literal('thinking'),
    text: z.string(),
    signature: z.string().optional(),
    /** Digest of all that the model had read before; it is kept only behind exactly that. No client sees it. */
    after: z.string().optional(),
    /** Unsigned, and wanted back all the same with the calls that it led to. No client sees it. */
    isWantedBack: z.literal(true).optional(),
  }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string(), after: z.string().optional() }),
  z.object({
    type: z.literal('tool_call'),
    toolUseId: ToolUseId,
    toolName: z.string(),
    toolInput: ToolInput,
    /** Set where the model's JSON could not be read as an object: what is wrong with it. Such a call never runs. */
    malformed: z.string().optional(),
    /** What its server sent with it and wants back as it came, a signature for instance. No client sees it. */
    extra: z.record(z.string(), z.unknown()).optional(),
  }),
])
export type Content = z.infer<typeof Content>
export type ToolCall = Extract<Content, { type: 'tool_call' }>

/** Why one model reply ended. `interrupted`: stopped from outside, or the stream broke; what came is kept. */
export const TurnStop = z.enum(['end_turn', 'tool_use', 'max_tokens', 'refusal', 'pause_turn', 'interrupted'])
export type TurnStop = z.infer<typeof TurnStop>
/** Why a run ended. */
export const StopReason = z.enum(['end_turn', 'max_tokens', 'refusal', 'loop_limit', 'stuck', 'aborted'])
export type StopReason = z.infer<typeof StopReason>

/** A passage of the memory that was given to the model with a message. */
export const Recalled = z.object({
  kind: z.enum(['file', 'session', 'journal']),
  /** A file's path in the workspace, a session's id, `journal/2026-01-31`. */
  name: z.string(),
  title: z.string(),
  firstLine: z.int(),
  lastLine: z.int(),
  changedAt: z.int(),
  /** Written by tools or others: data wherever it is read. */
  isFromTools: z.boolean(),
  text: z.string(),
})
export type Recalled = z.infer<typeof Recalled>

/** `seq`: position in the session, from 0, grows with every event. `at`: Unix ms. */
const base = { seq: z.int().nonnegative(), runId: RunId, at: z.int() }

/** What a run cost. */
const spent = {
  /** Not all of it was counted: `usage` and `costUsd` are the least that it was. */
  isUsagePartial: z.literal(true).optional(),
  /** US dollars, at the prices when it ended; absent where one is not known. */
  costUsd: z.number().optional(),
}

/** A session's persisted lines. Each is also sent as the event `chat:<type>` with `sessionId` added. */
export const Entry = z.discriminatedUnion('type', [
  z.object({
    ...base,
    type: z.literal('user'),
    messageId: MessageId,
    text: z.string(),
    by: z.string(),
  }),
  /** What the memory had to say to the message before, and the model was given with it. */
  z.object({ ...base, type: z.literal('recalled'), items: z.array(Recalled) }),
  z.object({
    ...base,
    type: z.literal('assistant'),
    /** `provider/model`. Clients of before `madeBy` are told `command` or `mcp` where no model made it. */
    model: z.string().optional(),
    /** Who made it, where no model did: a call that an operator typed or an MCP client asked for, JARVIS's own words. */
    madeBy: z.enum(['operator', 'client', 'jarvis']).optional(),
    content: z.array(Content),
    usage: Usage,
    /** It ended before the provider had counted all: `usage` is the least that it was. */
    isUsagePartial: z.literal(true).optional(),
    stopReason: TurnStop,
  }),
  z.object({
    ...base,
    type: z.literal('tool_use'),
    toolUseId: ToolUseId,
    toolName: z.string(),
    toolInput: ToolInput,
    tier: Tier,
    /** The grant that let it run without a card, and who made that. */
    grantId: z.string().optional(),
    by: z.string().optional(),
  }),
  z.object({
    ...base,
    type: z.literal('tool_result'),
    toolUseId: ToolUseId,
    /** What the model reads. */
    result: z.string(),
    isError: z.boolean(),
    /** One line for a person. */
    summary: z.string(),
    durationMs: z.number(),
    /** Set where the process died while it ran and the cluster does not say what became of it. */
    isUnknown: z.literal(true).optional(),
    /** Set in a rehearsal: it says what would run, and nothing was run. */
    isRehearsal: z.literal(true).optional(),
    /** The same result structured, for the dashboard. */
    data: z.unknown().optional(),
    images: z.array(Image).optional(),
  }),
  z.object({ ...base, type: z.literal('confirm_needed'), ...Card.shape }),
  z.object({
    ...base,
    type: z.literal('confirm_resolved'),
    toolUseId: ToolUseId,
    decision: Decision,
    by: z.string(),
    note: z.string().optional(),
    /** The call, where the card's id is not the call's own. */
    callId: ToolUseId.optional(),
    /**
     * What the card showed is no longer so, and the call is not settled by this: the id of the card in its place, or the
     * call's own where its refusal or result follows.
     */
    replacedBy: ToolUseId.optional(),
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
  /** What the cluster said, on a later look, of a call whose outcome was not known. */
  z.object({
    ...base,
    type: z.literal('reconciled'),
    toolUseId: ToolUseId,
    toolName: z.string(),
    outcome: z.enum(['done', 'failed']),
    text: z.string(),
  }),
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

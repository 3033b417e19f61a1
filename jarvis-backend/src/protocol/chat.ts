import { z } from 'zod'
import { GrantRequest } from './grant.ts'
import { MessageId, RequestId, RunId, SessionId, ToolUseId } from './ids.ts'
import { Effort } from './models.ts'
import { Card } from './tier.ts'
import { Entry, type EntryOf } from './transcript.ts'

/** A message's upper bound, in UTF-8 bytes. */
export const maxMessageBytes = 64 * 1024

const noteText = z.string().max(2_000)

/** What a client may ask for on `/chat`. Unknown fields are refused. */
export const chatRequests = {
  'chat:send': z.strictObject({
    sessionId: SessionId.optional(),
    message: z.string().regex(/\S/, 'is empty'),
    requestId: RequestId.optional(),
    /** One of `models` in `/api/status`: for this answer, in a new session for all of it. */
    model: z.string().max(200).optional(),
  }),
  'chat:confirm': z.strictObject({
    sessionId: SessionId,
    toolUseId: ToolUseId,
    confirmed: z.boolean(),
    note: noteText.optional(),
    grant: GrantRequest.optional(),
    requestId: RequestId.optional(),
  }),
  'chat:abort': z.strictObject({ sessionId: SessionId }),
  /** `since`: what the screen has already; the snapshot then holds the entries after it alone, where it can. */
  'chat:attach': z.strictObject({ sessionId: SessionId, since: z.int().optional() }),
  /** Proves the link: nothing is done. */
  'chat:ping': z.strictObject({}),
  /** Takes a queued message back before it is answered. */
  'chat:unqueue': z.strictObject({ sessionId: SessionId, messageId: MessageId }),
} as const
export type ChatRequests = { [K in keyof typeof chatRequests]: z.infer<(typeof chatRequests)[K]> }

/**
 * The entry before or after which a session was branched off; `title` absent: the other session is deleted. `isVersion`: it
 * holds another version of the message there, and lists show one row for all versions.
 */
export const BranchedFrom = z.object({
  sessionId: SessionId,
  entry: z.int(),
  title: z.string().optional(),
  isVersion: z.literal(true).optional(),
})
export type BranchedFrom = z.infer<typeof BranchedFrom>

export const QueuedMessage = z.object({ messageId: MessageId, text: z.string(), by: z.string(), at: z.int() })
export type QueuedMessage = z.infer<typeof QueuedMessage>

/** All that a fresh screen needs; events with a greater `seq` go on from here. */
export const Snapshot = z.object({
  sessionId: SessionId,
  title: z.string(),
  isRehearsal: z.boolean(),
  /** Chosen for the session; absent: the one in use. */
  model: z.string().optional(),
  /** How much the models think in it; absent: as the settings say. */
  effort: Effort.optional(),
  branchedFrom: BranchedFrom.optional(),
  seq: z.int(),
  runId: RunId.optional(),
  /** The newest entries, from the start of a run; `hasEarlier` says whether older ones can be read over REST. */
  entries: z.array(Entry),
  hasEarlier: z.boolean(),
  /** The `since` that was asked with, where `entries` are those after it. */
  since: z.int().optional(),
  /** The turn that streams now. */
  partial: z.object({ text: z.string(), thinking: z.string() }),
  pending: z.array(Card),
  queued: z.array(QueuedMessage),
  /** The newest progress line of each running call, by toolUseId. */
  progress: z.record(z.string(), z.string()),
  notice: z.object({ message: z.string(), retryAt: z.int().optional() }).optional(),
})
export type Snapshot = z.infer<typeof Snapshot>

/** What an acknowledgement carries besides `ok: true`. */
export type ChatReplies = {
  'chat:send': { sessionId: SessionId; runId: RunId; queued: boolean; messageId: MessageId }
  'chat:confirm': Record<never, never>
  'chat:abort': Record<never, never>
  'chat:attach': { snapshot: Snapshot }
  'chat:ping': Record<never, never>
  'chat:unqueue': Record<never, never>
}

/** Carried by every event of `/chat`; `seq` grows by one in a session. */
export type EventBase = { sessionId: SessionId; runId: RunId; seq: number }

type EntryEvents = { [T in Entry['type'] as `chat:${T}`]: { sessionId: SessionId } & Omit<EntryOf<T>, 'type'> }

/** Server to client, to every socket attached to the session. */
export type ChatEvents = EntryEvents & {
  'chat:token': EventBase & { text: string }
  'chat:thinking': EventBase & { text: string }
  'chat:tool_progress': EventBase & { toolUseId: ToolUseId; message: string }
  'chat:notice': EventBase & { message: string; retryInMs?: number }
  /** The queue as it is now. */
  'chat:queued': EventBase & { queued: QueuedMessage[] }
  'chat:title': EventBase & { title: string }
  'chat:rehearsal': EventBase & { isRehearsal: boolean; by: string }
}
